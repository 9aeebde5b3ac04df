/* A map from descriptors to pointers. Zeroed: empty. Not for several threads at
 * a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fd_map {
    void **all;  /* owned list, borrowed parts; by descriptor */
    size_t size; /* entries of it */
};

/* Borrows `value` until fd_map_remove(). False when there is no memory. */
bool fd_map_add(struct fd_map *map, int fd, void *value);

void fd_map_remove(struct fd_map *map, int fd);

/* NULL when the descriptor is not there. */
static inline void *fd_map_find(const struct fd_map *map, int fd)
{
    return (size_t)fd < map->size ? map->all[fd] : NULL;
}

void fd_map_free(struct fd_map *map);
