/* Accepts connections and hands each to the least loaded loop.
 *
 * One for the process, on the main thread's loop. At a limit (of connections,
 * or of the system's descriptors) it stops to watch the listening socket until
 * there is room again: clients wait in the kernel's queue. */
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
    struct loop *loops;
    int loop_count;
    struct listen_address address;
    int fd; /* owned; -1 when closed */
    uv_poll_t poll;
    uv_timer_t retry;
    uv_async_t room;    /* sent when a connection has closed, while it waits */
    atomic_bool waits;  /* the listening socket is not watched */
    uint64_t report_ms; /* when a shortage may be logged again */
    struct metrics metrics; /* written by the main thread only */
};

/* Makes acceptor_on_closed() callable; the caller then fills in service,
 * profile, loops, address and fd. */
void acceptor_init(struct acceptor *acceptor, uv_loop_t *uv);
void acceptor_start(struct acceptor *acceptor);

/* For on_closed of the port's profile. Any thread. */
void acceptor_on_closed(void *acceptor);

/* Accepts who has come so far and closes the listening socket. */
void acceptor_close(struct acceptor *acceptor);
