/* One client's connection, from its adoption by a loop to its end. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/http/arrivals.h"
#include "server/http/connection_state.h"
#include "server/http/exchange.h"
#include "server/http/silent_set.h"
#include "server/limits/crowd.h"
#include "server/limits/handshake_share.h"
#include "server/mhd/engine.h"

struct connection {
    struct exchange exchange; /* the current one, or the next; first */
    struct connection_state state;
};

/* All connections of a loop. */
struct connection_list {
    struct stage_queue queues[CONNECTION_STAGES]; /* own their connections */
    struct stage_queue
        heard; /* those that have sent bytes since the last tick */
    struct silent_set silent; /* sockets that are no connections yet */
    struct crowd crowd;
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

/* False without memory or a descriptor. */
bool connection_list_init(struct connection_list *list,
                          struct loop_context *loop, struct engine *engine);

/* No connection may be left. */
void connection_list_free(struct connection_list *list);

/* Owners of the engine's connections are struct connection. The context of
 * message() is a struct log. */
extern const struct engine_handlers connection_handlers;

/* Gives a socket to the engine, which closes it; without memory it is closed at
 * once. */
void connection_adopt(struct connection_list *list,
                      const struct arrival *arrival);

/* Removes a connection from the counts that include it since its accept.
 * `left_share`: its address counts it no longer. */
void connection_uncount(struct loop_context *loop, const struct peer *peer,
                        bool left_share);

/* Takes an accepted socket, which the engine gets with its first byte. Without
 * memory the socket is closed at once. */
void connection_arrive(struct connection_list *list,
                       const struct arrival *arrival);

/* Gives the engine sockets that are not silent any more; to be called when the
 * set is readable. False when handshakes have used up their share: then not
 * before the next tick. */
bool connection_adopt_ready(struct connection_list *list);

/* Closes a socket, unless its client has just sent bytes: the engine gets it
 * then. */
void connection_close_silent(struct connection_list *list,
                             struct silent *silent);

/* Ends a connection; the engine will close it. */
void connection_hang_up(struct connection *connection);

/* The same, with a reply 408 of `text` if one can be sent; counts `reason`. */
void connection_refuse(struct connection *connection,
                       enum metrics_rejection reason, const char *text);

/* Near the limit of the port: closes connections that wait for a request, first
 * those of addresses with more than their share. To be called every tick. */
void connection_relieve(struct connection_list *list);

/* Ends connections that are past the limit of their stage or too slow, and
 * closes idle ones when the port stops. To be called every tick. */
void connection_check_all(struct connection_list *list);
