#include "server/mhd/fd_map.h"

#include <stdlib.h>

static bool grow(struct fd_map *map, size_t least)
{
    size_t size = map->size ? map->size : 64;
    void **all;

    while (size < least)
        size *= 2;
    if (size == map->size)
        return true;
    all = realloc(map->all, size * sizeof(*all));
    if (!all)
        return false;
    for (size_t i = map->size; i < size; i++)
        all[i] = NULL;
    map->all = all;
    map->size = size;
    return true;
}

bool fd_map_add(struct fd_map *map, int fd, void *value)
{
    if (!grow(map, (size_t)fd + 1))
        return false;
    map->all[fd] = value;
    return true;
}

void fd_map_remove(struct fd_map *map, int fd)
{
    if ((size_t)fd < map->size)
        map->all[fd] = NULL;
}

void fd_map_free(struct fd_map *map)
{
    free(map->all);
    *map = (struct fd_map){.size = 0};
}
