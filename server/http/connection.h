/* One client's connection, from its adoption by a loop to its end. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "server/http/arrivals.h"
#include "server/http/connection_state.h"
#include "server/http/exchange.h"
#include "server/mhd/engine.h"

struct connection {
    struct exchange exchange;    /* the current one, or the next; first */
    LIST_ENTRY(connection) link; /* of the loop's list */
    struct connection_state state;
    bool has_idle_bytes;
    uint64_t idle_bytes; /* that TCP had received when it became idle */
};

/* All connections of a loop. */
struct connection_list {
    LIST_HEAD(, connection) all; /* owned */
    struct loop_context *loop;   /* borrowed, as the engine */
    struct engine *engine;       /* made with connection_handlers */
};

/* Owners of the engine's connections are struct connection. The context of
 * message() is a struct log. */
extern const struct engine_handlers connection_handlers;

/* Adopts an accepted socket: the engine gets it and closes it. Without memory
 * the socket is closed at once. */
void connection_new(struct connection_list *list,
                    const struct arrival *arrival);

/* Ends connections that are past a deadline, and closes idle ones when the
 * port stops. To be called every tick. */
void connection_check_all(struct connection_list *list);
