/* Shared memory that clients have registered, under --allow-client-shm.
 *
 * A region is mapped when it is registered, always anew, and unmapped when it
 * has been unregistered and the last request that uses it has ended. Its pages
 * are the client's; what they may come to is bounded all the same, for a page
 * that nobody had before we write to it is charged to us.
 *
 * Any thread. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/routes/shared_memory.h"
#include "server/shm/map.h"

enum { SHM_MOST = 64 }; /* maps, those of the last requests included */

struct shm_region {
    struct api_registration as;
    struct shm_map map;
    atomic_uint holders; /* the registration is one */
    atomic_bool lost;    /* its owner has cut it short: zeros took its place */
};

struct shm {
    bool enabled;
    const char *prefix; /* borrowed: what every key starts with */
    size_t bytes_limit;
    atomic_size_t bytes; /* mapped */
    atomic_size_t maps;
    pthread_mutex_t lock;                 /* guards what follows */
    struct shm_region *regions[SHM_MOST]; /* a hold each, in no order */
    size_t count;
};

/* Fails with INVALID for a prefix that no key can have. When enabled it takes
 * over SIGBUS (shm_use.h): once in a process, before there are threads. */
bool shm_init(struct shm *shm, bool enabled, const char *prefix,
              size_t bytes_limit, struct status *st);

/* No request may be under way. */
void shm_free(struct shm *shm);

/* INVALID for a key that is not ^/[A-Za-z0-9._-]{1,250}$ or lacks the prefix,
 * a name that is taken (unless by a region that is lost) and an object that
 * does not fit; TOO_LARGE and BUSY past the limits. */
bool shm_register(struct shm *shm, const struct api_registration *part,
                  struct status *st);

/* Nothing when there is none. */
void shm_unregister(struct shm *shm, const char *name);
void shm_unregister_all(struct shm *shm);

/* Copies those of this name, or all of them for NULL; returns how many. */
size_t shm_list(struct shm *shm, const char *name,
                struct api_registration list[SHM_MOST]);

/* The region, with a hold on it, or NULL. */
struct shm_region *shm_hold(struct shm *shm, const char *name);
void shm_drop(struct shm *shm, struct shm_region *region);
