/* The connections of a loop, of any protocol, in the stages of their requests.
 * The list ends connections that are past the limit of their stage or below the
 * minimum rate, and near --max-connections the oldest that wait for their
 * client. struct protocol holds the functions by which a protocol ends its
 * connections.
 *
 * A stage has a limit that arriving bytes do not move, or a minimum rate: so no
 * client holds a connection for ever with one byte at a time. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "server/conn/service.h"
#include "server/limits/peer.h"
#include "server/limits/progress.h"
#include "server/socket/transport.h"

enum connection_stage {
    CONNECTION_ACCEPTED, /* the client has sent nothing yet */
    CONNECTION_IDLE,     /* between requests */
    CONNECTION_HEADERS,  /* a part of a request has arrived, or the handshake
                          * goes on */
    CONNECTION_BODY,
    CONNECTION_WORK,   /* waits for a worker or has one; gRPC: has calls */
    CONNECTION_SEND,   /* the reply is being sent */
    CONNECTION_LINGER, /* refused, or our half is closed; input is discarded */
    CONNECTION_ENDING, /* ended by us; the protocol has not noticed yet */
    CONNECTION_STAGES, /* how many */
};

/* How long a half-closed socket lingers for the client's end. */
enum { CONNECTION_LINGER_MS = 3000 };

/* The connections of a loop that are in one stage, oldest first.
 *
 * The limit of a stage is the same for all its connections, so the first one is
 * the first to reach it: a tick looks at heads only, and a connection that
 * waits costs nothing. */
TAILQ_HEAD(stage_entries, connection_state);

struct connection_list;
struct connection_state;
struct engine_connection;

/* One port's protocol on one loop. */
struct loop_port {
    const struct protocol *protocol;        /* borrowed, as the next two */
    const struct listener_profile *profile; /* of the port */
    struct connection_list *list;
    void *state; /* the protocol's, owned by it */
};

/* A protocol's functions for its sockets and connections. Loop thread only, but
 * for start() and free(). */
struct protocol {
    /* Makes the port's state before the loop's thread. The loop closes the
     * handles of `uv`. False without memory or a descriptor. */
    bool (*start)(struct loop_port *port, uv_loop_t *uv);
    /* After the thread; all connections have ended. */
    void (*free)(struct loop_port *port);

    /* Makes a connection of an accepted socket and its layer (TLS; all zero:
     * none). False without memory: both stay the caller's. */
    bool (*adopt)(struct loop_port *port, const struct arrival *arrival,
                  struct socket_layer layer);
    /* About every 100 ms, and more often while the port stops. NULL: nothing
     * to do. */
    void (*tick)(struct loop_port *port);

    /* Ends a connection that is past the limit of its stage; it must leave the
     * stage. */
    void (*end_overdue)(struct connection_state *state);
    /* Closes a connection that waits for its client, near the limit of the
     * port, and counts the rejection. False, with nothing done, if it does not
     * wait or a request has just arrived. */
    bool (*make_room)(struct connection_state *state);
    /* A counter of the client's bytes: received or, in CONNECTION_SEND,
     * acknowledged. Its start does not matter. */
    uint64_t (*moved)(const struct connection_state *state);
    /* True if the connection holds memory of the budget. NULL: never. */
    bool (*holds_budget)(const struct connection_state *state);
    /* Ends a connection in CONNECTION_BODY or CONNECTION_SEND that is too slow.
     */
    void (*cut)(struct connection_state *state);
    /* Gives back memory of a connection that waits for its client. NULL:
     * nothing to do. */
    void (*trim)(struct connection_state *state);
    /* Closes an idle connection of a port that stops, unless a request has just
     * arrived. NULL: tick() does it. */
    void (*stop)(struct connection_state *state);
    /* Ends a connection at once, whatever it does. */
    void (*abort)(struct connection_state *state);
};

/* The part of a connection that its protocol and its requests use. */
struct connection_state {
    const struct protocol *protocol; /* NULL: the connection was handed over */
    struct loop_port *port;          /* borrowed, as the next two */
    struct loop_context *loop;
    struct engine_connection *engine; /* of HTTP/1 */
    struct peer peer;
    uint64_t age_end_ms; /* the reply after this time is the last; 0: none */
    enum connection_stage stage;
    bool trimmed;                        /* since the stage began, */
    uint64_t since_ms;                   /* at this time */
    TAILQ_ENTRY(connection_state) entry; /* of the list's queue of the stage */
    struct progress progress;            /* of the body or the reply */
};

/* Puts a new connection into its first stage. */
void connection_state_init(struct connection_state *state,
                           struct loop_port *port, const struct peer *peer);

/* Begins a stage, perhaps the same anew. */
void connection_state_enter(struct connection_state *state,
                            enum connection_stage stage);

/* Takes a connection that is being closed off the list and the counts, unless
 * it was handed over. */
void connection_state_release(struct connection_state *state);

/* Ends our half, and lets the connection linger, with its socket and
 * the leases of its buffers; the layer of the transport is freed. `drops`: the
 * client may still send. */
void connection_state_linger(struct connection_state *state,
                             struct transport *transport, bool drops);

static inline bool connection_state_is_old(const struct connection_state *state)
{
    return state->age_end_ms > 0 &&
           loop_context_now_ms(state->loop) >= state->age_end_ms;
}

/* The share of a loop's time that TLS handshakes may take. Zeroed: all. */
struct handshake_share {
    int64_t left_ns; /* below 0: taken in advance */
    uint64_t refilled_ms;
    uint64_t counted_ns; /* of the time that all handshakes took */
};

/* All connections of a loop. */
struct connection_list {
    struct loop_context *loop;          /* borrowed */
    struct loop_port ports[LOOP_PORTS]; /* without a protocol: none */
    struct stage_entries queues[CONNECTION_STAGES]; /* borrowed */
    int linger_fd; /* owned; readable when a lingering socket is */
    struct handshake_share handshakes;
    uint64_t judged_ms;                  /* when progress was checked last */
    struct socket_buffers_setup buffers; /* of each connection's socket */
};

/* Starts the protocols. False without memory or a descriptor. */
bool connection_list_init(struct connection_list *list,
                          struct loop_context *loop, uv_loop_t *uv);

/* No connection may be left. */
void connection_list_free(struct connection_list *list);

/* True if one more accepted socket may be adopted: handshakes have not used up
 * their share. */
bool connection_list_may_adopt(struct connection_list *list);

/* Makes a connection of an accepted socket; without memory closes it. */
void connection_list_adopt(struct connection_list *list,
                           const struct arrival *arrival);

/* Drops input of sockets that linger; to be called when `linger_fd` is
 * readable. */
void connection_list_drop_input(struct connection_list *list);

/* Ends connections that are past the limit of their stage or too slow, makes
 * room near the limit of the port, and closes idle ones when it stops. To be
 * called every tick. */
void connection_list_check(struct connection_list *list);
