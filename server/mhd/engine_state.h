/* The state of an engine and of its connections, for this room's files. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "server/mhd/engine.h"
#include "server/mhd/io_adapter.h"

/* The end of connections that libmicrohttpd closes while the client still
 * sends, such as after its own 400. A socket that is closed on unread bytes is
 * reset, and with it go the replies that are not sent yet. So a duplicate of
 * the descriptor is kept, and input is dropped until the client ends, for 2 s
 * and 4 MiB at most.
 *
 * Eight at a time: the oldest is closed for a new one. */
enum { LINGER_SOCKETS = 8 };

struct linger_list {
    struct linger_socket {
        int fd; /* owned */
        uint64_t until_ms;
        size_t dropped; /* bytes */
    } sockets[LINGER_SOCKETS];
    int count;
    uint64_t next_ms; /* when they are looked at again */
};

struct MHD_Connection;
struct MHD_Daemon;

struct engine {
    struct engine_setup setup;
    struct MHD_Daemon *mhd; /* owned */
    struct slots slots;     /* of its connections */
    struct io_adapter adapter;
    struct io_shared shared;
    struct linger_list lingering;
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
    struct io_stack stack;
};

enum { ENGINE_CONNECTION_BYTES = SLOT_STATE - ENGINE_OWNER_BYTES };

static_assert(sizeof(struct engine_connection) <= ENGINE_CONNECTION_BYTES,
              "the owner's memory follows");

enum { ENGINE_LEAVING_MS = 10 }; /* between two looks at those that leave */

/* Called when libmicrohttpd closes a connection: keeps it if its client has
 * more to take, calls the handler leaving() and returns true. False: it is to
 * end now. */
bool engine_leave(struct engine_connection *connection);

/* Lingers at the connection's descriptor if its client may send more: what has
 * not been received, or the rest of a request that was refused in its middle.
 */
void engine_linger(struct engine_connection *connection, int fd);

/* Ends those that are done or reset. To be called often; looks each
 * ENGINE_LEAVING_MS at most. */
void engine_check_leaving(struct engine *engine);

void engine_reset_leaving(struct engine *engine);

/* Frees it; the socket is libmicrohttpd's. */
void engine_connection_free(struct engine_connection *connection);

/* Ends our half of `fd`, which the caller closes, and keeps a duplicate. */
void linger_keep(struct linger_list *list, int fd);

/* Drops what has arrived; closes those that are over. To be called each 100 ms
 * at least; looks each 10 ms at most. */
void linger_check(struct linger_list *list);

/* Closes all. */
void linger_close(struct linger_list *list);
