/* The state of a connection that its calls use: its session of HTTP/2, its
 * output, its limits. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "server/http/arrivals.h"
#include "server/http/service.h"
#include "server/http2/flood.h"
#include "server/http2/output.h"
#include "server/http2/transport.h"
#include "server/limits/crowd.h"
#include "server/limits/handshake_share.h"
#include "server/limits/peer.h"
#include "server/limits/progress.h"
#include "server/mhd/socket_buffers.h"

struct call;
struct nghttp2_session;
struct nghttp2_session_callbacks;
struct nghttp2_option;
struct session;

/* Bytes that are received at a time where they cannot go to their message at
 * once. The memory plan counts with them. */
enum { PORT_SCRATCH = 128 << 10 };

TAILQ_HEAD(session_list, session);

/* gRPC on one loop: what its connections share. A guest of the loops of HTTP
 * (server/http/guest.h), with an epoll descriptor of its own: libuv's table of
 * descriptors does not grow with the connections. */
struct port {
    struct loop_context *loop;              /* borrowed, as the next */
    const struct listener_profile *profile; /* of the gRPC port */
    int epoll_fd;
    uv_poll_t poll;   /* of the epoll descriptor */
    uv_async_t again; /* there are sessions in `waiting` */
    /* All; and of them, those that had more to do than one turn lets them. A
     * session is moved to the end when it is turned to. */
    struct session_list sessions, waiting;
    struct nghttp2_session_callbacks *callbacks; /* owned */
    struct nghttp2_option *option;               /* owned */
    struct socket_buffers_setup buffers;
    struct crowd crowd;
    struct handshake_share handshakes;
    uint64_t handshake_ns;  /* that all handshakes have taken */
    uint64_t judged_ms;     /* when progress was checked last */
    unsigned char *scratch; /* owned, of PORT_SCRATCH bytes */
};

LIST_HEAD(call_list, call);
STAILQ_HEAD(call_closed_list, call);

enum {
    /* The window of a stream before memory is leased for its message: a tensor
     * of 1 MiB, with what surrounds it, needs no update. What is left open for
     * frames that are padded. The largest window of a stream; that of a
     * connection. */
    SESSION_WINDOW = (1 << 20) + (64 << 10),
    SESSION_WINDOW_SPARE = 32 << 10,
    SESSION_WINDOW_MOST = 16 << 20,
    SESSION_WINDOW_ALL = 64 << 20,

    SESSION_FRAME = 1 << 20, /* SETTINGS_MAX_FRAME_SIZE */
    /* Most bytes of a header block. One of more than METADATA_MAX is refused,
     * for a header list is no shorter when it is unpacked; up to here it is
     * read, so that only its call is refused. */
    SESSION_HEADERS = 64 << 10,
    SESSION_SENT_FRAME = 64 << 10, /* most bytes of a DATA frame that is sent */

    /* Data that goes straight into its message: fewer bytes are copied, so that
     * a call of recv() is not for one frame of 16 KiB. */
    SESSION_DIRECT = 64 << 10,

    /* From the notice of a GOAWAY to its last stream: streams that were under
     * way are served. An acknowledged PING may have overtaken some of them.
     * Longer for a client that has not acknowledged the one behind the notice.
     */
    SESSION_GRACE_MS = 1000,
    SESSION_DEAF_MS = 3000,

    /* After our half is closed, input is discarded for so long: closing a
     * socket with unread bytes resets the connection, and the reset can
     * overtake the GOAWAY. */
    SESSION_LINGER_MS = 1000,
};

enum session_end {
    SESSION_SERVES,
    SESSION_NOTICED, /* a GOAWAY was sent that refuses nothing yet */
    SESSION_LEAVING, /* the last one was sent; streams are finished */
};

struct session {
    TAILQ_ENTRY(session) link;    /* of port->sessions */
    TAILQ_ENTRY(session) waiting; /* of port->waiting, if `waits` */
    bool waits;
    struct port *port; /* borrowed */
    struct peer peer;
    uint32_t address_hash;
    struct transport transport;
    struct nghttp2_session *h2; /* owned; NULL: no byte has come, or ended */
    struct output output;
    bool inside;       /* a callback of nghttp2 runs */
    bool failed;       /* the connection is to be closed at once */
    bool flooded;      /* its client has been refused as a flood */
    bool lingers;      /* our half is closed; input is discarded */
    bool acknowledged; /* the client has seen the notice of the end */
    bool wants_send;   /* epoll waits for space, too */
    bool held;         /* epoll does not wait for it at all */
    bool ended;        /* closed; calls that workers have keep the struct */
    int running;       /* such calls */
    struct call_list calls;
    struct call_closed_list closed; /* whose bytes are still to be sent */
    size_t call_count;
    size_t sending_streams; /* calls of streams with a message on its way out */
    bool allowance;         /* the connection's own bytes are free */

    /* The DATA frame whose payload comes: its call, its length and the bytes
     * that are left of it, if they can go straight into the message. */
    struct call *data_call;
    size_t data_length, data_left;
    size_t earned; /* bytes of data since flood_earn() */

    struct flood flood;
    enum session_end end;
    uint64_t opened_ms;
    uint64_t age_end_ms; /* when it is too old; 0: never */
    uint64_t noticed_ms; /* when `end` became SESSION_NOTICED */
    uint64_t linger_ms;  /* when `lingers` became true */
    uint64_t idle_ms;    /* when a call began, was answered, or ended last */
    uint64_t
        headers_ms;     /* since when headers are incomplete; 0: they are not */
    size_t headers_len; /* bytes of the last header block */
    uint64_t answered;  /* calls */
    uint64_t sent;      /* bytes */
    struct progress progress; /* of the output */
};

static inline uint64_t session_now_ms(const struct session *session)
{
    return loop_context_now_ms(session->port->loop);
}

/* Sends what was submitted, unless a callback runs: then that is done after it.
 * The session may be gone afterwards. */
void session_kick(struct session *session);

/* Frees a session that has ended, once no worker has a call of it. */
void session_release(struct session *session);

/* Bytes of all replies on their way out that the kernel has not taken yet. */
size_t session_unsent(const struct session *session);

/* Opens the window of a stream for `len` bytes that were taken. */
void session_consume(struct session *session, int32_t stream, size_t len);
