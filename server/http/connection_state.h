/* The state of a connection that its exchanges use: its loop, its socket, and
 * the stage of its request, in a queue of all that are in the same.
 *
 * libmicrohttpd's own timeout starts anew with every byte, so a client could
 * hold a connection for ever with one byte at a time. A stage has a limit
 * instead, which arriving bytes do not move, or a minimum rate. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "server/conn/service.h"
#include "server/limits/peer.h"
#include "server/limits/progress.h"
#include "server/mhd/engine.h"

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

struct stage_entry {
    TAILQ_ENTRY(stage_entry) link;
    uint64_t since_ms; /* when it was added */
};

/* The connections of a loop that are in one stage, oldest first.
 *
 * The limit of a stage is the same for all its connections, so the first entry
 * is the first to reach it: a tick looks at heads only, and a connection that
 * waits costs nothing. The clock is handed in. */
struct stage_queue {
    TAILQ_HEAD(stage_entries, stage_entry) entries; /* borrowed */
    struct stage_entry *next_look; /* the first that was not looked at */
    size_t count;
};

void stage_queue_init(struct stage_queue *queue);

/* Adds an entry that is in no queue. `now_ms` never decreases. */
void stage_queue_add(struct stage_queue *queue, struct stage_entry *entry,
                     uint64_t now_ms);

void stage_queue_remove(struct stage_queue *queue, struct stage_entry *entry);

/* The first entry if it was added `age_ms` ago or earlier; else NULL. */
struct stage_entry *stage_queue_oldest(const struct stage_queue *queue,
                                       uint64_t now_ms, uint64_t age_ms);

/* Gives each entry once, when it was added `age_ms` ago or earlier; NULL when
 * none is left. */
struct stage_entry *stage_queue_look(struct stage_queue *queue, uint64_t now_ms,
                                     uint64_t age_ms);

struct connection_state {
    struct loop_context *loop;        /* borrowed */
    struct engine_connection *engine; /* borrowed; NULL until it is open */
    struct peer peer;
    uint32_t address_hash; /* of peer */
    uint64_t age_end_ms;   /* the reply after this time is the last; 0: none */
    struct stage_queue *queues; /* borrowed: the loop's, one for each stage */
    enum connection_stage stage;
    struct stage_entry entry;       /* of queues[stage] */
    struct stage_queue *heard;      /* borrowed: the loop's */
    struct stage_entry heard_entry; /* of it */
    bool is_heard; /* bytes have come since connection_list_check() looked */
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
