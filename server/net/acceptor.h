/* Accepts the connections of one port and hands each to the port's least loaded
 * loop.
 *
 * At a limit (of connections, or of the system's descriptors) it stops watching
 * the listening socket until a connection has closed: clients wait in the
 * kernel's queue. Main thread only, but for acceptor_on_closed(). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "server/http/loop.h"
#include "server/http/service.h"
#include "server/net/listen.h"

struct acceptor {
    struct service *service;                /* borrowed, as the next two */
    const struct listener_profile *profile; /* of the port */
    struct loop *loops;                     /* an array */
    int loop_count;
    struct listen_address address;
    int fd; /* owned; -1 when closed */
    uv_poll_t poll;
    uv_timer_t retry;       /* after a shortage of descriptors */
    uv_async_t closed;      /* a connection was closed while it waited */
    atomic_bool is_waiting; /* the listening socket is not watched */
    uint64_t report_ms;     /* when a shortage may be logged again */
    struct metrics metrics; /* written by the main thread */
};

/* Makes acceptor_on_closed() callable. The caller then sets service, profile,
 * loops, address and fd, and starts the acceptor. */
void acceptor_init(struct acceptor *acceptor, uv_loop_t *uv);
void acceptor_start(struct acceptor *acceptor);

/* on_closed() of the port's profile. Any thread. */
void acceptor_on_closed(void *acceptor);

/* Accepts the connections that the kernel holds ready and closes the listening
 * socket; again does nothing. */
void acceptor_close(struct acceptor *acceptor);
