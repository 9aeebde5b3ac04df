/* The regions that one request uses: found by name, referenced until its end.
 *
 * A client may shorten an object meanwhile: sigbus.h replaces its bytes by
 * zeros, and request_regions_end() fails. One thread at a time uses a struct
 * request_regions, from begin to end. */
#pragma once

#include "api/api.h"
#include "server/shm/sigbus.h"

struct request_regions {
    struct api_regions finder;  /* for api_prepare() */
    struct shm *shm;            /* borrowed; NULL: shared memory is off */
    struct sigbus_regions used; /* one reference each */
};

/* Returns the regions for one request, valid until request_regions_end(); NULL
 * when shared memory is off. `regions` must not move meanwhile. */
const struct api_regions *request_regions_begin(struct request_regions *regions,
                                                struct shm *shm);

/* Gives the references back. False when a region was lost: bytes read from it
 * may be zeros that its client did not write. */
bool request_regions_end(struct request_regions *regions, struct status *st);

/* True if a request may use more than `limit` bytes of shared memory: then a
 * worker executes it, although its body is short. Scans the JSON quickly.
 * `request` is NULL when its body cannot be read yet: then true. */
bool request_regions_may_be_large(const struct shm *shm,
                                  const struct api_request *request,
                                  size_t limit);
