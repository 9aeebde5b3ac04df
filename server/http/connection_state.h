/* The state of a connection that its exchanges use: its loop, its socket, and
 * the stage of its request.
 *
 * libmicrohttpd's own timeout starts anew with every byte, so a client could
 * hold a connection for ever with one byte at a time. A stage has a deadline
 * instead, which arriving bytes do not move. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/http/service.h"
#include "server/limits/peer.h"
#include "server/mhd/engine_connection.h"

enum connection_stage {
    CONNECTION_IDLE,    /* between requests */
    CONNECTION_HEADERS, /* a part of a request has arrived */
    CONNECTION_BODY,
    CONNECTION_WORK,   /* suspended: waits for a worker or has one */
    CONNECTION_SEND,   /* the reply is being sent */
    CONNECTION_LINGER, /* refused; input is discarded */
};

/* After a refusal, input is discarded up to these limits before the socket is
 * closed: closing a socket with unread bytes resets the connection, and the
 * reset can overtake the refusal. */
enum { CONNECTION_LINGER_BYTES = 16 << 20, CONNECTION_LINGER_MS = 3000 };

struct connection_state {
    struct loop_context *loop;        /* borrowed */
    struct engine_connection *engine; /* borrowed; NULL until it is open */
    struct peer peer;
    enum connection_stage stage;
    uint64_t since_ms; /* when the stage was entered, by the loop's clock */
    /* When the stage must end. UINT64_MAX: the stage was already ended by its
     * deadline. */
    uint64_t deadline_ms;
    bool half_closed; /* an earlier tick of the stage found it so */
};

static inline void connection_state_enter(struct connection_state *state,
                                          enum connection_stage stage,
                                          uint64_t limit_ms)
{
    state->stage = stage;
    state->half_closed = false;
    state->since_ms = loop_context_now_ms(state->loop);
    state->deadline_ms = state->since_ms + limit_ms;
}

static inline void connection_state_enter_idle(struct connection_state *state)
{
    const struct options *options = loop_context_options(state->loop);

    connection_state_enter(state, CONNECTION_IDLE,
                           (uint64_t)options->idle_timeout * 1000);
}

static inline void
connection_state_enter_headers(struct connection_state *state)
{
    const struct options *options = loop_context_options(state->loop);

    connection_state_enter(state, CONNECTION_HEADERS,
                           (uint64_t)options->header_timeout * 1000);
}
