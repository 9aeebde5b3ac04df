/* The regions that one request uses: found by name, referenced until its end.
 *
 * A client may shorten an object while a request uses it.
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
 *   the zeros appear, so every thread that read any of them sees the mark at
 *   the end of its request (request_regions_end()), whose reply is discarded.
 * - Any other SIGBUS has the effect that it has without the handler.
 *
 * One thread at a time uses a struct request_regions. */
#pragma once

#include "api/server_state.h"
#include "server/shm/shm.h"

struct request_regions {
    struct api_regions finder; /* for api_prepare() */
    struct shm *shm;           /* borrowed; NULL: shared memory is off */
    struct shm_region *in_use[API_MAX_FINDS]; /* one reference each */
    int count;
};

/* Installs the handler: once in a process, before it has threads. */
void request_regions_install_handler(void);

/* Returns the regions for one request, valid until request_regions_end(); NULL
 * when shared memory is off. `regions` must not move meanwhile. */
const struct api_regions *request_regions_begin(struct request_regions *regions,
                                                struct shm *shm);

/* Between the two, a request may pass from one thread to another: the first
 * calls pause, the second resume. */
void request_regions_pause(const struct request_regions *regions);
void request_regions_resume(struct request_regions *regions);

/* Gives the references back. False when a region was lost: bytes read from it
 * may be zeros that its client did not write. */
bool request_regions_end(struct request_regions *regions, struct status *st);

/* True if a request may use more than `limit` bytes of shared memory: then a
 * worker executes it, although its body is short. Scans the JSON quickly.
 * `request` is NULL when its body cannot be read yet: then true. */
bool request_regions_may_be_large(const struct shm *shm,
                                  const struct api_request *request,
                                  size_t limit);
