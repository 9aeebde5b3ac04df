/* The shared memory regions that clients have registered (--allow-client-shm).
 *
 * Each registration maps its part of the object anew. The part is unmapped when
 * it has been unregistered and the last request that uses it has ended. The
 * client owns the pages, but the total of mapped bytes is limited: a page that
 * the server is first to write to is charged to the server.
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
 *   the end of its request (shm_use_end()), whose reply is discarded.
 * - Any other SIGBUS has the effect that it has without the handler.
 *
 * Any thread. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "api/server_state.h"

/* Maps at once, those included that are unregistered but still in use. */
enum { SHM_MAX_REGIONS = 64 };

/* A part of a shared memory object, mapped into this process. */
struct shm_region {
    struct api_shm_part part;
    void *start;         /* of the first page */
    size_t len;          /* bytes from `start` to the end of the part */
    unsigned char *data; /* start of the part */
    dev_t device;        /* of the object, with its inode */
    ino_t inode;
    atomic_uint refs; /* one for the registration, one for each request */
    atomic_bool lost; /* the client shortened the object: the map is zeros */
};

struct shm {
    bool enabled;
    const char *prefix;  /* borrowed; each key must start with it */
    size_t bytes_limit;  /* of all maps together */
    atomic_size_t bytes; /* mapped */
    atomic_size_t maps;
    pthread_mutex_t lock;                        /* guards the fields below */
    struct shm_region *regions[SHM_MAX_REGIONS]; /* one ref each; unordered */
    size_t count;
};

/* Fails with INVALID when no key can start with the prefix. When `enabled`, it
 * installs the handler: before there are threads. */
bool shm_init(struct shm *shm, bool enabled, const char *prefix,
              size_t bytes_limit, struct status *st);

/* No request may use a region any more. */
void shm_free(struct shm *shm);

/* INVALID when the key is not ^/[A-Za-z0-9._-]{1,250}$ or lacks the prefix,
 * when the name is in use (by a region that is not lost), or when the object
 * cannot be mapped; TOO_LARGE and BUSY above the limits. */
bool shm_register(struct shm *shm, const struct api_shm_part *part,
                  struct status *st);

/* NULL: all regions. An unknown name is not an error. */
void shm_unregister(struct shm *shm, const char *name);

/* Copies the regions of this name (NULL: all) to `list`; returns how many. */
size_t shm_list(struct shm *shm, const char *name,
                struct api_shm_part list[SHM_MAX_REGIONS]);

/* The regions that one request uses: found by name, referenced until its end.
 * One thread at a time. */
struct shm_use {
    struct api_regions finder; /* for api_prepare() */
    struct shm *shm;           /* borrowed; NULL: shared memory is off */
    struct shm_region *regions[API_MAX_FINDS]; /* one reference each */
    int count;
};

/* Returns the regions for one request, valid until shm_use_end(); NULL when
 * shared memory is off. `use` must not move meanwhile. */
const struct api_regions *shm_use_begin(struct shm_use *use, struct shm *shm);

/* Between the two, a request may pass from one thread to another: the first
 * calls pause, the second resume. */
void shm_use_pause(const struct shm_use *use);
void shm_use_resume(const struct shm_use *use);

/* Gives the references back. False when a region was lost: bytes read from it
 * may be zeros that its client did not write. */
bool shm_use_end(struct shm_use *use, struct status *st);

/* True if a request may use more than `limit` bytes of shared memory: then a
 * worker executes it, although its body is short. Scans the JSON quickly.
 * `request` is NULL when its body cannot be read yet: then true. */
bool shm_may_be_large(const struct shm *shm, const struct api_request *request,
                      size_t limit);
