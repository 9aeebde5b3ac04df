#include "server/mhd/fd_map.h"

#include <stddef.h>
#include <stdlib.h>

#include "server/http/connection.h"

static _Thread_local struct connection **table; /* owned list, borrowed parts */
static _Thread_local size_t table_size;

static bool make_place(int fd)
{
    size_t size = table_size ? table_size : 64;
    struct connection **larger;

    while (size <= (size_t)fd)
        size *= 2;
    if (size == table_size)
        return true;
    larger = realloc(table, size * sizeof(*table));
    if (!larger)
        return false;
    for (size_t i = table_size; i < size; i++)
        larger[i] = NULL;
    table = larger;
    table_size = size;
    return true;
}

bool fd_map_add(struct connection *connection)
{
    if (!make_place(connection->fd))
        return false;
    table[connection->fd] = connection;
    return true;
}

void fd_map_remove(const struct connection *connection)
{
    if ((size_t)connection->fd < table_size)
        table[connection->fd] = NULL;
}

struct connection *fd_map_find(int fd)
{
    return (size_t)fd < table_size ? table[fd] : NULL;
}

void fd_map_end_thread(void)
{
    free(table);
    table = NULL;
    table_size = 0;
}
