/* A part of a shared memory object, mapped into this process. Private to this
 * room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "api/server_state.h"

struct shm_map {
    void *start;         /* of the first page */
    size_t len;          /* bytes from `start` to the end of the part */
    unsigned char *data; /* start of the part */
    dev_t device;        /* of the object, with its inode */
    ino_t inode;
};

/* Opens the object and maps the part for reading and writing, without touching
 * a page. INVALID when the object does not exist, is not a regular file or ends
 * before the part does; NO_MEMORY. */
bool shm_map_open(const struct api_shm_part *part, struct shm_map *map,
                  struct status *st);
void shm_map_close(struct shm_map *map);

/* Replaces the whole map by zeros. Async-signal-safe: it makes one system call.
 * False when the kernel refuses. */
bool shm_map_replace(const struct shm_map *map);
