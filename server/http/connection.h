/* One client's connection, from its adoption by a loop to its end. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/http/connection_state.h"
#include "server/http/http_exchange.h"
#include "server/limits/handshake_share.h"
#include "server/mhd/engine.h"

struct connection {
    struct http_exchange http; /* the current one, or the next; first */
    struct connection_state state;
};

enum { SILENT_SET_BATCH = 64 }; /* sockets that are looked at together */

/* Accepted sockets whose clients have sent nothing yet. Such a socket is not
 * given to the engine, which takes at least a page for it, before its first
 * byte: it costs 100 bytes here. */
struct silent_set {
    int epoll_fd;             /* owned; readable when a socket is ready */
    struct stage_queue queue; /* owns the sockets */
    uint32_t last_hash;       /* peer_hash() of silent_set_take_turn() */
};

struct silent {
    struct stage_entry entry;
    struct arrival arrival;
};

/* All connections of a loop. */
struct connection_list {
    struct stage_queue queues[CONNECTION_STAGES]; /* own their connections */
    struct stage_queue
        heard; /* those that have sent bytes since the last tick */
    struct silent_set silent; /* sockets that are no connections yet */
    struct handshake_share handshakes;
    struct loop_context *loop; /* borrowed, as the engine */
    struct engine *engine;     /* made with connection_handlers */
    uint64_t judged_ms;        /* when progress was checked last */
};

static inline struct connection *connection_of(struct stage_entry *entry)
{
    return (struct connection *)((char *)entry -
                                 offsetof(struct connection, state.entry));
}

static inline struct connection *connection_of_heard(struct stage_entry *entry)
{
    return (struct connection *)((char *)entry - offsetof(struct connection,
                                                          state.heard_entry));
}

/* Owners of the engine's connections are struct connection. The context of
 * message() is a struct log. */
extern const struct engine_handlers connection_handlers;

/* Gives a socket to the engine, which closes it; without memory it is closed at
 * once. */
void connection_adopt(struct connection_list *list,
                      const struct arrival *arrival);

/* Ends a connection; the engine will close it. */
void connection_hang_up(struct connection *connection);

/* The same, with a reply 408 of `text` if one can be sent; counts `reason`. */
void connection_refuse(struct connection *connection,
                       enum metrics_rejection reason, const char *text);

/* False without memory or a descriptor. */
bool connection_list_init(struct connection_list *list,
                          struct loop_context *loop, struct engine *engine);

/* No connection may be left. */
void connection_list_free(struct connection_list *list);

/* Takes an accepted socket, which the engine gets with its first byte. Without
 * memory the socket is closed at once. */
void connection_list_arrive(struct connection_list *list,
                            const struct arrival *arrival);

/* Gives the engine sockets that are not silent any more; to be called when the
 * set is readable. False when handshakes have used up their share: then not
 * before the next tick. */
bool connection_list_adopt_ready(struct connection_list *list);

/* Ends connections that are past the limit of their stage or too slow, makes
 * room near the limit of the port, and closes idle ones when the port stops. To
 * be called every tick. */
void connection_list_check(struct connection_list *list);

/* False without memory or a descriptor. */
bool silent_set_init(struct silent_set *set);

/* No socket may be left. */
void silent_set_free(struct silent_set *set);

/* Keeps the socket. False without memory: it is still the caller's. */
bool silent_set_hold(struct silent_set *set, const struct arrival *arrival,
                     uint64_t now_ms);

/* Takes out a socket whose client has sent bytes or has gone; false: there is
 * none. Of those looked at together one with another address than the last
 * comes first: so a client with few sockets does not wait for all those of one
 * that has many. */
bool silent_set_take_turn(struct silent_set *set, struct arrival *arrival);
