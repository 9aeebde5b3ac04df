/* The shared memory regions that clients have registered (--allow-client-shm).
 *
 * Each registration maps its part of the object anew. The part is unmapped when
 * it has been unregistered and the last request that uses it has ended. The
 * client owns the pages, but the total of mapped bytes is limited: a page that
 * the server is first to write to is charged to the server.
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
struct shm_map {
    void *start;         /* of the first page */
    size_t len;          /* bytes from `start` to the end of the part */
    unsigned char *data; /* start of the part */
    dev_t device;        /* of the object, with its inode */
    ino_t inode;
};

struct shm_region {
    struct api_shm_part part;
    struct shm_map map;
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

/* Fails with INVALID when no key can start with the prefix. When `enabled`, the
 * caller calls request_regions_install_handler() as well. */
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

/* The region of this name with a reference, which shm_unref() gives back; NULL
 * if there is none. */
struct shm_region *shm_ref(struct shm *shm, const char *name);
void shm_unref(struct shm *shm, struct shm_region *region);

/* Replaces the whole map by zeros. Async-signal-safe: it makes one system call.
 * False when the kernel refuses. */
bool shm_map_replace(const struct shm_map *map);
