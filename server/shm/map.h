/* A part of a shared memory object in our address space; private to shm*.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/routes/shared_memory.h"

struct shm_map {
    void *start; /* of the first page */
    size_t len;
    unsigned char *data; /* where the part begins */
};

/* Opens the object anew and maps the part, to read and to write. INVALID when
 * there is no such object, when it is no regular file or ends before the part
 * does; NO_MEMORY. Nothing of it is touched. */
bool shm_map_open(const struct api_registration *part, struct shm_map *map,
                  struct status *st);
void shm_map_close(struct shm_map *map);

/* Puts zeros in the place of the whole map. Makes system calls only, so that a
 * signal handler may; false when the kernel refuses. */
bool shm_map_replace(const struct shm_map *map);
