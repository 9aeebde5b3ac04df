/* One listening port: accepts its connections and hands each to the least
 * loaded of the port's loops.
 *
 * At the limit of connections, and near it those of addresses that have their
 * fair share, sockets wait in a lobby until connections have closed. Without
 * descriptors it stops watching the listening socket for a while. Main thread
 * only. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "server/conn/loop.h"
#include "server/conn/service.h"
#include "server/net/entry.h"
#include "server/net/listen.h"

struct acceptor {
    struct service *service; /* borrowed */
    struct listener_profile profile;
    struct entry entry; /* with the loops, of acceptor_start_loops() */
    struct listen_address address;
    int fd; /* owned; -1 when closed */
    uv_poll_t poll;
    uv_timer_t retry;       /* after a shortage of descriptors */
    uv_async_t closed;      /* a connection was closed while others waited */
    bool is_short;          /* of descriptors: the socket is not watched */
    bool is_paused;         /* the same, for entry_is_closed() */
    atomic_bool is_open;    /* loops may be given connections */
    struct acceptor *other; /* borrowed: of acceptor_pair(), or NULL */
    bool borrows_loops;     /* of `other` */
    bool is_finishing;      /* closed when none waits */
    uint64_t report_ms;     /* when a shortage may be logged again */
    struct metrics metrics; /* written by the main thread */
};

/* Sets on_closed() of the profile, which any thread may call. False without
 * memory or descriptors. */
bool acceptor_init(struct acceptor *acceptor, struct service *service,
                   const struct listener_profile *profile, uv_loop_t *uv);

/* Listens on acceptor->address, which the caller has set. Fails with INVALID.
 */
bool acceptor_listen(struct acceptor *acceptor, struct status *st);

/* The same with a socket that a service manager has opened; the acceptor then
 * owns it. */
bool acceptor_adopt(struct acceptor *acceptor, int fd, struct status *st);

/* Starts the loops, whose indices follow `first`, and adds their counters and
 * the acceptor's to the service's list, which has space. Fails with NO_MEMORY.
 */
bool acceptor_start_loops(struct acceptor *acceptor, int first, int count,
                          struct status *st);

/* Two ports whose connections count together: each is told when connections of
 * the other close. Before there are loops. */
void acceptor_pair(struct acceptor *acceptor, struct acceptor *other);

/* As acceptor_start_loops(), with the loops of the other port of its pair,
 * beside HTTP. */
void acceptor_share_loops(struct acceptor *acceptor);

/* Accepts from now on. Fails with NO_MEMORY. */
bool acceptor_start(struct acceptor *acceptor, struct status *st);

/* Sets the port's phase, and wakes its loops to read it. */
void acceptor_set_phase(struct acceptor *acceptor, enum service_phase phase);

/* Takes no connections any more but those that clients have begun. A borrowed
 * socket is closed: those that it holds are the next daemon's. */
void acceptor_refuse(struct acceptor *acceptor);

/* Closes the port once no connection waits to be accepted: at once, or when
 * there are descriptors again. */
void acceptor_finish(struct acceptor *acceptor);

/* Accepts the connections that the kernel holds ready, unless the socket is
 * borrowed, and closes the listening socket; again does nothing. Those in the
 * lobby enter as before. */
void acceptor_close(struct acceptor *acceptor);

/* The same, and closes those in the lobby. */
void acceptor_abort(struct acceptor *acceptor);

/* Waits for the end of the loops, which were told to stop, and frees them. */
void acceptor_join(struct acceptor *acceptor);
