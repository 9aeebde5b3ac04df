/* One listening port: accepts its connections and hands each to the least
 * loaded of the port's loops.
 *
 * While the port is at its limit, clients wait in the kernel's queue: the
 * listening socket is not watched until a connection is closed, and without
 * descriptors for a while. Near the limit, accepted sockets of addresses that
 * have their share wait here, lest others wait behind them. Main thread
 * only. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "server/conn/loop.h"
#include "server/conn/service.h"
#include "server/net/listen.h"

struct acceptor {
    struct service *service; /* borrowed */
    struct listener_profile profile;
    struct loop *loops;      /* borrowed array */
    int loop_count;          /* 0: the port is not served */
    struct arrivals waiting; /* of addresses that have their share */
    struct listen_address address;
    int fd; /* owned; -1 when closed */
    uv_poll_t poll;
    uv_timer_t retry;       /* after a shortage of descriptors */
    uv_async_t closed;      /* a connection was closed: there is room */
    atomic_bool is_waiting; /* on_closed() is to tell of it */
    atomic_bool is_open;    /* loops may be given connections */
    struct acceptor *other; /* borrowed: of acceptor_pair(), or NULL */
    bool is_finishing;      /* closed when the kernel's queue is empty */
    uint64_t report_ms;     /* when a shortage may be logged again */
    struct metrics metrics; /* written by the main thread */
};

/* Sets on_closed() of the profile, which any thread may call. False without
 * memory or descriptors. */
bool acceptor_init(struct acceptor *acceptor, struct service *service,
                   const struct listener_profile *profile, uv_loop_t *uv);

/* Listens where the options say, or on the socket `given` that a service
 * manager has opened, which the acceptor then owns; -1: there is none. Fails
 * with INVALID. */
bool acceptor_open(struct acceptor *acceptor, enum listen_port port, int given,
                   struct status *st);

/* Two ports whose connections count together: each is told when connections of
 * the other close. Before there are loops. */
void acceptor_pair(struct acceptor *acceptor, struct acceptor *other);

/* Accepts from now on, for `count` loops that run. Borrows them, and adds the
 * acceptor's counters to the service's list, which has space. Fails with
 * NO_MEMORY. */
bool acceptor_start(struct acceptor *acceptor, struct loop *loops, int count,
                    struct status *st);

/* Sets the port's phase, and wakes its loops to read it. */
void acceptor_set_phase(struct acceptor *acceptor, enum service_phase phase);

/* Takes only connections that clients have already begun. A borrowed socket is
 * closed: its connections are the next daemon's. */
void acceptor_refuse(struct acceptor *acceptor);

/* Closes the port once no connection waits to be accepted: at once, or when
 * there are room and descriptors again. */
void acceptor_finish(struct acceptor *acceptor);

/* Closes the port now, and the connections that find no room. */
void acceptor_abort(struct acceptor *acceptor);

/* After the end of the loops. */
void acceptor_free(struct acceptor *acceptor);
