/* The regions that one request uses, and what happens when a client shortens an
 * object while it is in use.
 *
 * The kernel sends SIGBUS when a thread touches a page of a map past the end of
 * its object, and also when it has no memory for a page that did not exist yet.
 * Checking the size first would not help, because it can change at any time.
 * So there is a handler:
 *
 * - The signal is synchronous: it is delivered to the thread that touched the
 *   page, at that instruction. The handler searches only the regions that its
 *   own thread uses, through a thread-local pointer that only this thread
 *   writes. The references keep the maps in place, so it needs no lock.
 * - If the address lies in such a region, the region is marked as lost and one
 *   mmap() replaces the whole map by zeros. The thread then repeats the
 *   instruction. mmap() is missing in the list of async-signal-safe functions,
 *   but as a plain system call it takes no lock in user space; the interrupted
 *   code is flipd's own copying, never the allocator.
 * - Other threads that use the region read zeros too. The mark is set before
 *   the zeros appear, so every thread that read any of them sees the mark in
 *   shm_use_end(), which then fails; the reply is discarded.
 * - Any other SIGBUS has the effect that it has without the handler.
 *
 * One thread at a time uses a struct shm_use, from begin to end. */
#pragma once

#include "api/api.h"
#include "server/shm/shm.h"

struct shm_use {
    struct api_regions regions;
    struct shm *shm; /* borrowed; NULL: shared memory is off */
    struct shm_region *in_use[API_MAX_FINDS]; /* one reference each */
    int count;
};

/* Installs the SIGBUS handler: once in a process, before it has threads. */
void shm_use_install(void);

/* Returns the regions for one request, valid until shm_use_end(); NULL when
 * shared memory is off. `use` must not move meanwhile. */
const struct api_regions *shm_use_begin(struct shm_use *use, struct shm *shm);

/* Gives the references back. False when a region was lost: bytes read from it
 * may be zeros that its client did not write. */
bool shm_use_end(struct shm_use *use, struct status *st);

/* True if a request may ask for more than `limit` bytes of shared memory: then
 * it is work for a worker, although its body is short. Takes a quick scan of
 * the JSON. `request` is NULL when its body cannot be read yet: then true. */
bool shm_use_is_large(const struct shm *shm, const struct api_request *request,
                      size_t limit);
