/* The thread's connections that have something large under way, or TLS, by
 * descriptor, for who answers libmicrohttpd's system calls: calls.h.
 * Loop thread only. */
#pragma once

#include <stdbool.h>

struct connection;

/* Borrows it until fd_map_remove(). False when there is no memory; again does
 * nothing. */
bool fd_map_add(struct connection *connection);

void fd_map_remove(const struct connection *connection);

/* NULL for a descriptor that is none's. */
struct connection *fd_map_find(int fd);

/* Frees what the thread holds. All its connections are closed. */
void fd_map_end_thread(void);
