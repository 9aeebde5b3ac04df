/* The state of a connection that its exchanges use: its loop, its socket, and
 * the stage of its request.
 *
 * libmicrohttpd's own timeout starts anew with every byte, so a client could
 * hold a connection for ever with one byte at a time. A stage has a limit
 * instead, which arriving bytes do not move, or a minimum rate. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/http/service.h"
#include "server/http/stage_queue.h"
#include "server/limits/peer.h"
#include "server/limits/progress.h"
#include "server/mhd/engine_connection.h"

enum connection_stage {
    CONNECTION_IDLE,    /* between requests */
    CONNECTION_HEADERS, /* a part of a request has arrived */
    CONNECTION_BODY,
    CONNECTION_WORK,   /* suspended: waits for a worker or has one */
    CONNECTION_SEND,   /* the reply is being sent */
    CONNECTION_LINGER, /* refused; input is discarded */
    CONNECTION_ENDING, /* ended by us; the engine has not noticed yet */
    CONNECTION_STAGES, /* how many */
};

/* After a refusal, input is discarded up to these limits before the socket is
 * closed: closing a socket with unread bytes resets the connection, and the
 * reset can overtake the refusal. */
enum { CONNECTION_LINGER_BYTES = 16 << 20, CONNECTION_LINGER_MS = 3000 };

struct connection_state {
    struct loop_context *loop;        /* borrowed */
    struct engine_connection *engine; /* borrowed; NULL until it is open */
    struct peer peer;
    uint32_t address_hash; /* of peer */
    uint64_t age_end_ms;   /* the reply after this time is the last; 0: none */
    bool left_share; /* no longer counted for its address: it is being closed */
    struct stage_queue *queues; /* borrowed: the loop's, one for each stage */
    enum connection_stage stage;
    struct stage_entry entry;       /* of queues[stage] */
    struct stage_queue *heard;      /* borrowed: the loop's */
    struct stage_entry heard_entry; /* of it */
    bool is_heard; /* bytes have come since connection_check_all() looked */
    struct progress progress; /* of the body or the reply */
};

/* Puts a new connection into its first stage. */
static inline void connection_state_start(struct connection_state *state,
                                          enum connection_stage stage)
{
    state->stage = stage;
    state->progress = (struct progress){.started = false};
    stage_queue_add(&state->queues[stage], &state->entry,
                    loop_context_now_ms(state->loop));
}

static inline void connection_state_enter(struct connection_state *state,
                                          enum connection_stage stage)
{
    stage_queue_remove(&state->queues[state->stage], &state->entry);
    connection_state_start(state, stage);
}
