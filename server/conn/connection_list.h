/* The connections of a loop, of any protocol: accepted sockets whose clients
 * have sent nothing yet, and connections in the stages of their requests. The
 * list ends those that are past the limit of their stage, too slow, or in the
 * way of others near --max-connections. A protocol says how, in a table of
 * functions (struct protocol).
 *
 * A stage has a limit that arriving bytes do not move, or a minimum rate: so no
 * client holds a connection for ever with one byte at a time. Loop thread only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "server/conn/service.h"
#include "server/limits/peer.h"
#include "server/limits/progress.h"
#include "server/socket/socket_buffers.h"

enum connection_stage {
    CONNECTION_ACCEPTED, /* accepted: the client has sent nothing yet */
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

/* After a refusal, and after the end of our half, input is discarded up to
 * these limits before the socket is closed: closing a socket with unread bytes
 * resets the connection, and the reset can overtake the last reply. */
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

/* The layer of an accepted socket: TLS or, all zero, none. False without
 * memory.
 */
bool loop_port_open_layer(const struct loop_port *port, int fd,
                          struct socket_layer *layer);

/* What a protocol does with its sockets and connections. Loop thread only, but
 * for start() and free(). */
struct protocol {
    /* Makes the port's state before the loop's thread. The loop closes the
     * handles of `uv`. False without memory or a descriptor. */
    bool (*start)(struct loop_port *port, uv_loop_t *uv);
    /* After the thread; all connections have ended. */
    void (*free)(struct loop_port *port);

    /* Makes a connection of an accepted socket, whose client has sent bytes or
     * has gone; without memory connection_list_refuse()s it. */
    void (*adopt)(struct loop_port *port, const struct arrival *arrival);
    /* About every 100 ms, and more often while the port stops. NULL: nothing
     * to do. */
    void (*tick)(struct loop_port *port);

    /* A connection has been CONNECTION_IDLE, CONNECTION_HEADERS or
     * CONNECTION_LINGER for as long as it may: it leaves the stage. */
    void (*end_overdue)(struct connection_state *state);
    /* Closes a connection that waits for its client, near the limit of the
     * port, and counts that. False if it does not wait, or a request has just
     * arrived: it goes on. */
    bool (*make_room)(struct connection_state *state);
    /* Bytes that the client has sent, or acknowledged in CONNECTION_SEND, by a
     * count whose differences only matter. */
    uint64_t (*moved)(const struct connection_state *state);
    /* True if it holds a part of the memory budget. NULL: it never does. */
    bool (*holds_budget)(const struct connection_state *state);
    /* Ends a connection in CONNECTION_BODY or CONNECTION_SEND that is too slow.
     */
    void (*cut)(struct connection_state *state);
    /* Gives back memory of a connection that waits for its client. NULL:
     * nothing to do. */
    void (*trim)(struct connection_state *state);
    /* Closes an idle connection, unless a request has just arrived, for the
     * port stops. NULL: tick() does it. */
    void (*stop)(struct connection_state *state);
    /* Ends a connection at once, whatever it does. */
    void (*abort)(struct connection_state *state);
};

/* Of one connection, what its protocol and its requests use. */
struct connection_state {
    struct loop_port *port; /* borrowed, as the next two */
    struct loop_context *loop;
    struct engine_connection *engine; /* of HTTP/1; NULL until it is open */
    struct peer peer;
    uint32_t address_hash; /* of peer */
    uint64_t age_end_ms;   /* the reply after this time is the last; 0: none */
    enum connection_stage stage;
    struct stage_entry entry; /* of the list's queue of the stage */
    struct progress progress; /* of the body or the reply */
};

static inline struct connection_state *
connection_state_of(struct stage_entry *entry)
{
    return (
        struct connection_state *)((char *)entry -
                                   offsetof(struct connection_state, entry));
}

/* Puts a new connection into its first stage. */
void connection_state_init(struct connection_state *state,
                           struct loop_port *port, const struct peer *peer,
                           enum connection_stage stage);

/* Begins a stage, perhaps the same anew. */
void connection_state_enter(struct connection_state *state,
                            enum connection_stage stage);

/* Takes a connection that is being closed off the list and the counts. */
void connection_state_release(struct connection_state *state);

static inline bool connection_state_is_old(const struct connection_state *state)
{
    return state->age_end_ms > 0 &&
           loop_context_now_ms(state->loop) >= state->age_end_ms;
}

/* The share of a loop's time that TLS handshakes may take. Zeroed: all of it.
 */
struct handshake_share {
    int64_t left_ns; /* below 0: taken in advance */
    uint64_t refilled_ms;
    uint64_t counted_ns; /* of the time that all handshakes took */
};

enum { CONNECTION_LIST_BATCH = 64 }; /* sockets that are adopted together */

/* All connections of a loop. */
struct connection_list {
    struct loop_context *loop;          /* borrowed */
    struct loop_port ports[LOOP_PORTS]; /* without a protocol: none */
    struct stage_queue queues[CONNECTION_STAGES];
    int accepted_fd;    /* owned; readable when a silent socket is ready */
    uint32_t last_hash; /* address_hash of the one that was adopted last */
    struct handshake_share handshakes;
    uint64_t judged_ms;                  /* when progress was checked last */
    struct socket_buffers_setup buffers; /* of each connection's socket */
};

/* Starts the protocols. False without memory or a descriptor. */
bool connection_list_init(struct connection_list *list,
                          struct loop_context *loop, uv_loop_t *uv);

/* No connection may be left. */
void connection_list_free(struct connection_list *list);

/* Takes an accepted socket, which its protocol gets with its first byte. */
void connection_list_arrive(struct connection_list *list,
                            const struct arrival *arrival);

/* Gives the protocols sockets that are not silent any more; to be called when
 * `accepted_fd` is readable. False when handshakes have used up their share:
 * then not before the next tick. */
bool connection_list_adopt_ready(struct connection_list *list);

/* Closes a socket for which a protocol has no memory. */
void connection_list_refuse(struct loop_port *port,
                            const struct arrival *arrival);

/* Ends connections that are past the limit of their stage or too slow, makes
 * room near the limit of the port, and closes idle ones when it stops. To be
 * called every tick. */
void connection_list_check(struct connection_list *list);
