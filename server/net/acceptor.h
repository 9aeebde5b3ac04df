/* One listening port: accepts its connections and hands each to the least
 * loaded of the port's loops.
 *
 * Accepted sockets wait while the port is at its limit of connections; near the
 * limit, those of addresses that have their fair share. In the kernel's queue a
 * client would wait behind all clients of another address. Without descriptors
 * the listening socket is not watched for a while. Main thread only. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "server/conn/loop.h"
#include "server/conn/service.h"
#include "server/net/listen.h"

enum { WAIT_HASHES = 256 };

/* Accepted sockets that wait for room at a port. */
struct wait_list {
    struct arrival *sockets; /* owned; oldest first */
    size_t count, capacity;
    size_t hashed[WAIT_HASHES]; /* of them, by peer_hash(): two addresses
                                 * of one hash count as one */
};

struct acceptor {
    struct service *service; /* borrowed */
    struct listener_profile profile;
    struct loop *loops; /* borrowed array */
    int loop_count;     /* 0: the port is not served */
    struct wait_list waiting;
    atomic_bool is_waiting; /* a socket waits for room */
    struct listen_address address;
    int fd; /* owned; -1 when closed */
    uv_poll_t poll;
    uv_timer_t retry;       /* after a shortage of descriptors */
    uv_async_t closed;      /* a connection was closed while others waited */
    bool is_short;          /* of descriptors: the socket is not watched */
    bool is_paused;         /* the same: no more may wait */
    atomic_bool is_open;    /* loops may be given connections */
    struct acceptor *other; /* borrowed: of acceptor_pair(), or NULL */
    bool is_finishing;      /* closed when none waits */
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
 * there are descriptors again. */
void acceptor_finish(struct acceptor *acceptor);

/* Accepts the connections in the kernel's queue, unless the socket is borrowed,
 * and closes the listening socket; a second call does nothing. Waiting sockets
 * enter as before. */
void acceptor_close(struct acceptor *acceptor);

/* The same, and closes waiting sockets. */
void acceptor_abort(struct acceptor *acceptor);

/* After the end of the loops. */
void acceptor_free(struct acceptor *acceptor);
