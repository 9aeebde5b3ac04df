/* One client's connection, from its adoption by a loop to its end. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/http/arrivals.h"
#include "server/http/connection_state.h"
#include "server/http/exchange.h"
#include "server/mhd/engine.h"

struct connection {
    struct exchange exchange; /* the current one, or the next; first */
    struct connection_state state;
    bool has_idle_bytes; /* for libmicrohttpd without the I/O adapter only */
    uint64_t idle_bytes; /* that TCP had received when it became idle */
};

/* All connections of a loop. */
struct connection_list {
    struct stage_queue queues[CONNECTION_STAGES]; /* own their connections */
    struct loop_context *loop;                    /* borrowed, as the engine */
    struct engine *engine; /* made with connection_handlers */
    uint64_t judged_ms;    /* when progress was checked last */
};

static inline struct connection *connection_of(struct stage_entry *entry)
{
    return (struct connection *)((char *)entry -
                                 offsetof(struct connection, state.entry));
}

void connection_list_init(struct connection_list *list,
                          struct loop_context *loop, struct engine *engine);

/* Owners of the engine's connections are struct connection. The context of
 * message() is a struct log. */
extern const struct engine_handlers connection_handlers;

/* Adopts an accepted socket: the engine gets it and closes it. Without memory
 * the socket is closed at once. */
void connection_new(struct connection_list *list,
                    const struct arrival *arrival);

/* Ends connections that are past the limit of their stage or too slow, and
 * closes idle ones when the port stops. To be called every tick. */
void connection_check_all(struct connection_list *list);
