/* One connection: a socket, an HTTP/2 session, and its calls. Loop thread only.
 *
 * nghttp2 must not be entered from its own callbacks, and a session can end in
 * any call of its functions. So the callbacks, and what they call, only submit
 * frames; session_kick() sends them, as its caller's last step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "server/conn/connection_list.h"
#include "server/grpc/call.h"
#include "server/http2/flood.h"
#include "server/http2/output.h"
#include "server/socket/transport.h"

struct nghttp2_session;
struct nghttp2_session_callbacks;
struct nghttp2_option;
struct session;

/* For the profile of the port of gRPC. */
extern const struct protocol protocol_grpc;

/* Bytes that are received at a time unless they go straight into their message.
 * The memory plan counts them. */
enum { PORT_SCRATCH = 128 << 10 };

/* gRPC on one loop: what its connections share. It has an epoll descriptor of
 * its own: libuv's table of descriptors does not grow with the connections. */
struct port {
    int epoll_fd;
    uv_poll_t poll; /* of the epoll descriptor */
    TAILQ_HEAD(session_list, session) sessions;
    struct nghttp2_session_callbacks *callbacks; /* owned */
    struct nghttp2_option *option;               /* owned */
    unsigned char scratch[PORT_SCRATCH];
};

enum {
    /* The window of a stream before memory is leased for its message: a tensor
     * of 1 MiB with its framing needs no update. The part for the padding of
     * frames. The largest window of a stream; that of a connection. */
    SESSION_WINDOW = (1 << 20) + (64 << 10),
    SESSION_WINDOW_PADDING = 32 << 10,
    SESSION_WINDOW_MOST = 16 << 20,
    SESSION_WINDOW_ALL = 64 << 20,

    SESSION_FRAME = 1 << 20, /* SETTINGS_MAX_FRAME_SIZE */
    /* Most bytes of a header block. One of more than METADATA_MAX is refused,
     * for a header list is no shorter when it is unpacked; up to here it is
     * read, so that only its call is refused. */
    SESSION_HEADERS = 64 << 10,
    SESSION_SENT_FRAME = 64 << 10, /* most bytes of a DATA frame that is sent */

    /* From the first GOAWAY to the final one: streams begun meanwhile are
     * served. An acknowledged PING may have overtaken some of them. Longer for
     * a client that has not acknowledged the PING behind the first. */
    SESSION_GRACE_MS = 1000,
    SESSION_UNHEARD_MS = 3000,
};

/* A stream of HTTP/2, and its call. */
struct stream {
    struct call call;        /* first: a stream is found by it */
    struct session *session; /* borrowed */
    LIST_ENTRY(stream) link; /* of session->streams */
    int32_t id;
    bool started;    /* the reply's headers were submitted */
    bool offered;    /* nghttp2 was told of a message or the status */
    bool closed;     /* it lives on while the output has bytes of its call */
    size_t reserved; /* the part of the message's lease in the window */
    size_t unopened; /* bytes not given back: the window is wide enough */
};

LIST_HEAD(stream_list, stream);

enum session_stage {
    SESSION_OPENING,      /* no byte of HTTP/2 has come */
    SESSION_SERVES,       /* streams may begin */
    SESSION_NOTICED,      /* the first GOAWAY was sent: it refuses no stream, */
    SESSION_ACKNOWLEDGED, /* and the client has seen it */
    SESSION_LEAVING,      /* the final one was sent; open streams go on */
    SESSION_FLOODED,      /* one was sent for a flood */
    SESSION_ENDED,        /* closed; calls that workers have keep the struct */
};

/* The last header block. */
struct session_headers {
    bool open; /* it is not whole */
    size_t len;
};

/* The DATA frame whose payload arrives, perhaps straight into its message: its
 * stream, its length and the bytes that are left. */
struct session_data {
    struct stream *stream;
    size_t length, left;
};

struct session {
    TAILQ_ENTRY(session) link; /* of port->sessions */
    struct connection_state state;
    struct transport transport;
    struct nghttp2_session *h2; /* owned; NULL before the first byte and after
                                 * the end */
    struct output output;
    enum session_stage stage;
    bool inside;      /* a callback of nghttp2 runs */
    bool failed;      /* the connection is to be closed at once */
    bool over;        /* it ends after the bytes that were sent */
    bool wants_send;  /* epoll waits for space, too */
    bool holds_input; /* TLS has received bytes that nghttp2 has not */
    bool was_large;   /* a large message came in this second */
    bool allowance;   /* no message has the bytes that are its own */
    struct stream_list streams; /* that are open */
    size_t living;              /* open, left to a worker, or in the output */

    struct session_headers headers;
    struct session_data data;
    struct flood flood;
    uint64_t since_ms; /* opened; from SESSION_NOTICED on, noticed */
    uint64_t sent;     /* bytes */
};

static inline struct port *session_port(const struct session *session)
{
    return session->state.port->state;
}

static inline uint64_t session_now_ms(const struct session *session)
{
    return loop_context_now_ms(session->state.loop);
}

/* Sends the submitted frames; inside a callback, once it has returned. The
 * session may be freed by it. */
void session_kick(struct session *session);

/* Frees a session that has ended, once no worker has a call of it. */
void session_release(struct session *session);

/* Bytes of all replies on their way out that the kernel has not taken yet. */
size_t session_unsent(const struct session *session);

/* Takes the first `sent` bytes off the output. */
void session_advance_output(struct session *session, size_t sent);

/* Receives what there is, for some rounds. To be called when the socket is
 * readable or writable, with session_kick() behind it. */
void session_receive(struct session *session);

/* session_frames.c: advances the call of a stream, and offers its bytes to
 * nghttp2. */
void session_advance(struct stream *stream);

/* The bytes of a call in the output were sent. */
void session_on_sent(struct stream *stream);

/* The stream is closed, by nghttp2 or with the session. */
void session_close_stream(struct stream *stream);

/* call_place() of its call. */
unsigned char *session_place(struct stream *stream, size_t *size);

/* Sets the connection's stage by the session: incomplete headers, calls, or
 * neither. To be called after a change, and to restart the stage's time. */
void session_restage(struct session *session);

/* Closes the connection; calls that workers have are cancelled. The session may
 * be gone afterwards. */
void session_close(struct session *session);

/* The same, but the socket lingers until the client has read the replies. */
void session_leave(struct session *session);

/* Refuses a client that floods: closes the connection with a reason. */
void session_refuse_flood(struct session *session);

/* Makes nghttp2's session. False without memory. */
bool session_open_h2(struct session *session);

/* The callbacks and options of all sessions. False without memory. */
bool session_setup_init(struct port *port);
