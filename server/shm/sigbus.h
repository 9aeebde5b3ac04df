/* The handler of SIGBUS: what happens when a client shortens an object while a
 * request uses it.
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
 *   the zeros appear, so every thread that read any of them sees the mark at
 *   the end of its request (request_regions_end()), whose reply is discarded.
 * - Any other SIGBUS has the effect that it has without the handler.
 *
 * Private to this room, but for sigbus_install(). */
#pragma once

#include "api/api.h"
#include "server/shm/shm.h"

/* The regions that a thread uses. The caller keeps a reference to each. */
struct sigbus_regions {
    struct shm_region *in_use[API_MAX_FINDS];
    int count;
};

/* Installs the handler: once in a process, before it has threads. */
void sigbus_install(void);

/* Handles faults of the calling thread in these regions from now on, instead
 * of those of the last call. NULL: in none. */
void sigbus_handle(const struct sigbus_regions *regions);

/* Adds a region, before the first access to its map. At most API_MAX_FINDS. By
 * the thread that uses the regions. */
void sigbus_add(struct sigbus_regions *regions, struct shm_region *region);
