/* One call of a method: messages in, messages out, a status. Loop thread only,
 * but for the job, which is a worker's in CALL_RUNNING and CALL_LEFT.
 *
 *     headers -> admit -> messages -> a job for each -> its reply -> the status
 *
 * A call knows no HTTP/2. Its session reports the client's bytes, then calls
 * call_advance(), after which the call's stage tells what to send. A fault only
 * marks the call: call_advance() ends it, behind the replies to earlier
 * messages.
 *
 * A refusal in any step is a job's error reply with HTTP's status, which
 * becomes gRPC's on its way out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/grpc.h"
#include "server/exchange/exchange.h"
#include "server/grpc/framing.h"
#include "server/http2/metadata.h"
#include "server/http2/output.h"
#include "server/limits/progress.h"
#include "server/socket/socket_buffers.h"

/* A message on its way in: its prefix, and the bytes, which a body collects in
 * one buffer, and whose length it knows once the prefix is whole. Loop thread
 * only, but for the lease of a message that a worker has. All zero: none. */
struct message {
    struct lease lease; /* of the message's and its reply's memory */
    struct body body;
    unsigned char prefix[FRAMING_PREFIX];
    unsigned prefix_len;
    uint64_t arrived_ns; /* its first byte; 0: there is none */
};

static inline bool message_has_prefix(const struct message *message)
{
    return message->prefix_len == FRAMING_PREFIX;
}

static inline size_t message_missing(const struct message *message)
{
    return message->body.announced - message->body.len;
}

enum {
    CALL_PIECES = API_MAX_PIECES + 1, /* of a reply, with the prefix */
    /* Bytes that a call itself may take: its struct, its fields, nghttp2's
     * stream. Leased for all but the first call of a connection. */
    CALL_COST = 8 << 10,
    /* The least data that is received straight into its message: less is
     * copied, since a recv() for each frame of 16 KiB costs more. */
    CALL_DIRECT = 64 << 10,
};

enum call_stage {
    CALL_OPEN,      /* its headers arrive */
    CALL_RECEIVING, /* it waits for its client: for a message, or the end */
    CALL_WATCHING,  /* a WATCH waits for a change of readiness */
    CALL_RUNNING,   /* a worker has its job */
    CALL_SENDING,   /* a message is on its way out, and more may follow */
    CALL_LAST,      /* the status follows the message on its way out */
    CALL_ENDING,    /* the status alone is on its way out */
    CALL_SENT,      /* the status was sent */
    CALL_CUT,       /* the stream was closed before that */
    CALL_LEFT,      /* the same, and a worker still has the job */
};

/* The job's reply on its way out: a message. */
struct call_out {
    unsigned char prefix[FRAMING_PREFIX];
    int at;           /* the piece that is not sent whole; -1: the prefix */
    size_t offset;    /* in that */
    size_t len, left; /* bytes; those not handed to the output yet */
};

/* Messages that arrive. */
struct call_in {
    struct message message; /* arrives, or is being answered */
    /* Of a stream: unparsed bytes behind a whole message; the window lacks as
     * many. A struct for each of ten thousand tiny messages would take fifty
     * times their bytes. */
    struct body backlog;
    size_t parsed;              /* bytes of it that were taken */
    uint64_t received;          /* bytes of messages */
    enum content_coding coding; /* of compressed messages */
};

/* The status of a call, or the fault that ends it behind the replies to earlier
 * messages. */
struct call_status {
    enum api_grpc_code code;
    int fault;     /* HTTP's status; 0: there is no fault */
    int rejection; /* enum metrics_rejection, or -1 */
    char text[STATUS_MESSAGE_SIZE];
};

struct call {
    struct exchange exchange; /* its lease is of CALL_COST; the job's is its
                               * message's */
    bool *allowance;          /* borrowed: the connection's bytes are free */
    enum call_stage stage;
    const struct api_grpc_method *method; /* NULL: not known */
    struct metadata metadata;
    uint64_t arrived_ns, timeout_us;
    enum content_coding reply_coding; /* wanted */
    bool is_foreign;  /* no request of gRPC: the reply is HTTP's */
    bool half_closed; /* the client sends nothing more */
    struct call_in in;
    struct api_grpc_call grpc;
    enum { TOLD_NOTHING, TOLD_READY, TOLD_NOT_READY } told; /* of a WATCH */
    struct call_out out;
    uint64_t sent; /* bytes of messages */
    size_t unsent; /* of those, in the session's output */
    struct call_status status;
    struct progress progress;
};

/* Begins the call of a new stream. `call` is zeroed; borrows the rest. False if
 * the budget lacks CALL_COST; a connection's first call takes none. */
bool call_open(struct call *call, struct loop_context *loop,
               const struct peer *peer, bool *allowance, bool is_first);

/* A field of its headers, or of its trailers. */
void call_on_field(struct call *call, const void *name, size_t name_len,
                   const void *value, size_t value_len);

/* Its headers are whole, all of them. */
void call_on_headers(struct call *call);

/* Bytes of its body, perhaps at the place that call_place() gave. False if the
 * call takes no more. */
bool call_on_data(struct call *call, const unsigned char *data, size_t len);

/* Memory to receive the next bytes of its body into, *size at most; may lower
 * *size. NULL: there is none. */
unsigned char *call_place(struct call *call, size_t *size);

/* The client sends nothing more. */
static inline void call_on_end(struct call *call)
{
    call->half_closed = true;
}

/* Marks the call as one that ends with this status of HTTP, the text, and the
 * code or, if that is OK, the code of the status; false. `rejection` is an enum
 * metrics_rejection or -1. The first fault counts. */
bool call_fail(struct call *call, enum api_grpc_code code, int http,
               int rejection, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Marks a call that is late and, with `judge`, once a second, one whose client
 * is too slow. False if its stream is to be reset. */
bool call_check(struct call *call, uint64_t now_ms, bool judge);

/* Does what can be done now: makes a job of the next message if it is whole,
 * tells a change of readiness, ends the call behind its last reply. To be
 * called after any of the functions above. */
void call_advance(struct call *call);

/* The number of bytes to send now, at most `len`; 0: there are none. `last`:
 * the status follows them. */
size_t call_next_data(const struct call *call, size_t len, bool *last);

/* Hands the next `len` bytes that are on their way out to the output. */
void call_put(struct call *call, struct output *output, size_t len);

/* Goes on when all bytes of a message were sent that is not the last; else
 * false. */
bool call_on_sent(struct call *call);

/* The stream is closed. The call lives on while a worker has its job, or the
 * output its bytes. */
void call_on_close(struct call *call);

/* Frees a call whose stream is closed, unless a worker or the output uses
 * it. */
void call_release(struct call *call);

/* True if the call waits for its client's next message or, a WATCH, for a
 * change: its end loses nothing. */
bool call_is_idle(const struct call *call);

/* What follows "application/grpc" in its content-type; NULL: it is another. */
const char *call_subtype(const struct call *call);

/* True while something is on its way out. */
static inline bool call_has_out(const struct call *call)
{
    return call->stage == CALL_SENDING || call->stage == CALL_LAST;
}

/* True if any number of messages may come. */
static inline bool call_is_stream(const struct call *call)
{
    return call->method && call->method->kind == API_GRPC_STREAM;
}

/* True if a message waits to be answered, or is. */
static inline bool call_has_whole(const struct call *call)
{
    return message_has_prefix(&call->in.message) &&
           message_missing(&call->in.message) == 0;
}

/* True while a large message arrives, also if its client pauses. */
static inline bool call_receives_large(const struct call *call)
{
    return call->in.message.body.reserved >= SOCKET_BUFFERS_LARGE &&
           !call_has_whole(call);
}

/* Of the session, for its calls. */

/* The call has taken `len` bytes of messages: the client may send more. */
void stream_consume(struct call *call, size_t len);

/* A worker's reply has come: the call can advance. */
void stream_wake(struct call *call);

/* Nothing uses the call any more: frees it. */
void stream_free(struct call *call);

/* For the two files of a call. */

/* Most bytes of a message, inflated too. */
size_t call_limit(const struct call *call);

/* Makes the next message of the backlog. */
void call_parse(struct call *call);

/* Frees the message, if there is one. */
void call_drop(struct call *call);

/* Ends the call with the job's reply, a refusal. */
void call_refuse(struct call *call);
