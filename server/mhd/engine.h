/* libmicrohttpd as a loop uses it: no thread, no listening socket, one epoll
 * descriptor to watch. Its callbacks end in connection.h and exchange.h. */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

struct loop;

/* NULL when it cannot be started. engine_stop() frees. */
struct MHD_Daemon *engine_start(struct loop *loop);

/* Readable when MHD_run() has something to do. */
int engine_fd(struct MHD_Daemon *engine);

/* Whether libmicrohttpd is part of the program, so that its system calls come
 * by us (the linker's --wrap). */
bool engine_is_ours(void);

/* No connection may be suspended: libmicrohttpd aborts the process then. */
void engine_stop(struct MHD_Daemon *engine);
