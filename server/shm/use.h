/* The regions that one request uses, and what happens when the client cuts one
 * short meanwhile.
 *
 * A map's pages past the end of its object cannot be touched: the kernel sends
 * SIGBUS, as it does when there is no memory left for a page that nobody had
 * before. Looking at the size first would not help, for it can change at any
 * time. So there is a handler:
 *
 * - The signal is synchronous: it comes to the thread that touched the page, at
 *   that instruction. The handler looks only at the regions that its own thread
 *   uses, by a thread-local pointer that the thread itself has set; nobody else
 *   writes to that, and the holds keep the maps in place. It needs no lock.
 * - When the address lies in one of them the region is marked as lost, and one
 *   mmap() puts zeros in the place of the whole map. The thread then goes on
 *   with the same instruction. Nothing is called but that system call, which
 *   the list of async-signal-safe functions lacks, but which takes no lock in
 *   user space; the interrupted code is our own copying, not the allocator's.
 * - Other threads that use the region find zeros too. The mark is set before
 *   the zeros are there, so whoever has seen any of them sees it at the end:
 *   shm_use_end() then fails, and the answer is thrown away.
 * - Any other SIGBUS has the effect that it had without us.
 *
 * One request is used by one thread at a time, from begin to end. */
#pragma once

#include "api/api.h"
#include "server/shm/shm.h"

struct shm_use {
    struct api_regions regions;
    struct shm *shm; /* borrowed; NULL: shared memory is off */
    struct shm_region *held[API_MAX_FINDS];
    int count;
};

/* Takes over SIGBUS. Once in a process. */
void shm_use_install(void);

/* What a request can find its regions by, until shm_use_end(); NULL when shared
 * memory is off. `use` stays where it is meanwhile. */
const struct api_regions *shm_use_begin(struct shm_use *use, struct shm *shm);

/* Lets go of them. False when one of them was lost: then nothing that was read
 * from them holds. */
bool shm_use_end(struct shm_use *use, struct status *st);

/* Whether a body of `len` bytes may ask for more than `limit` bytes of shared
 * memory, at a quick look: a few bytes of JSON can stand for any tensor. A NULL
 * body is one that cannot be looked at; `json_len` is the
 * Inference-Header-Content-Length as text, or NULL. */
bool shm_use_is_large(const struct shm *shm, const unsigned char *body,
                      size_t len, const char *json_len, size_t limit);
