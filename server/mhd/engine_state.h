/* The state of an engine and of its connections, for this room's files. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "server/mhd/engine.h"
#include "server/mhd/io_adapter.h"

struct MHD_Connection;
struct MHD_Daemon;

struct engine {
    struct engine_setup setup;
    struct MHD_Daemon *mhd; /* owned */
    struct slots slots;     /* of its connections */
    struct io_adapter adapter;
    struct io_shared shared;
    TAILQ_HEAD(, engine_connection) leaving; /* owned */
    uint64_t leaving_next_ms; /* when those are looked at again */
    uint64_t progress;        /* shared.progress when it grew last, */
    unsigned idle_turns; /* and turns since that asked for another at once */
    struct engine_connection *adopting; /* being given to libmicrohttpd */
    bool must_run; /* a connection was adopted or resumed */
};

/* At the begin of a slot's state; the owner's follows. */
struct engine_connection {
    struct engine *engine;      /* borrowed, as the next two */
    struct MHD_Connection *mhd; /* until it is closed; NULL until opened() */
    void *owner;
    bool has_headers;                    /* the request's were handed on */
    bool is_cut;                         /* by engine_hang_up() */
    bool is_reset;                       /* by engine_reset() */
    TAILQ_ENTRY(engine_connection) link; /* of engine.leaving */
    bool sends;     /* it is there, for the client has more to take */
    bool drops;     /* the same, more to send */
    size_t dropped; /* bytes */
    struct io_stack stack;
};

enum { ENGINE_CONNECTION_BYTES = SLOT_STATE - ENGINE_OWNER_BYTES };

static_assert(sizeof(struct engine_connection) <= ENGINE_CONNECTION_BYTES,
              "the owner's memory follows");

enum { ENGINE_LEAVING_MS = 10 }; /* between two looks at those that leave */

/* Called when libmicrohttpd closes a connection: keeps it if its client has
 * more to take or to send, calls the handler leaving() and returns true. False:
 * it is to end now. */
bool engine_leave(struct engine_connection *connection);

/* Ends those that are done or reset. To be called often; looks each
 * ENGINE_LEAVING_MS at most. */
void engine_check_leaving(struct engine *engine);

void engine_reset_leaving(struct engine *engine);

/* Frees it; the socket is libmicrohttpd's. */
void engine_connection_free(struct engine_connection *connection);
