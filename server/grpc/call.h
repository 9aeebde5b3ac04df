/* One call of a method: a stream of HTTP/2, messages in, messages out, a
 * status. Loop thread only, but for the job, which is a worker's while
 * `running`.
 *
 *     headers -> admit -> messages -> a job for each -> its reply -> the status
 *
 * A refusal in any step is a job's error reply with HTTP's status, which
 * becomes gRPC's on its way out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "api/grpc.h"
#include "server/grpc/framing.h"
#include "server/grpc/session_state.h"
#include "server/http2/metadata.h"
#include "server/jobs/worker.h"
#include "server/limits/lease.h"
#include "server/limits/progress.h"
#include "server/message/body.h"

/* A message on its way in: its prefix, and the bytes, which a body collects in
 * one buffer. Loop thread only, but for the lease of a message that a worker
 * has. */
struct message {
    struct lease lease; /* of all that the message and its reply hold, and of
                         * the struct, but for that with the allowance */
    struct body body;
    unsigned char prefix[FRAMING_PREFIX];
    unsigned prefix_len;
    struct framing_prefix framing; /* once the prefix is whole */
    bool *allowance; /* of the connection, which this message has; or NULL */
    uint64_t arrived_ns; /* its first byte */
};

static inline bool message_has_prefix(const struct message *message)
{
    return message->prefix_len == FRAMING_PREFIX;
}

static inline size_t message_missing(const struct message *message)
{
    return message->framing.length - message->body.len;
}

static inline bool message_is_whole(const struct message *message)
{
    return message_has_prefix(message) && message_missing(message) == 0;
}

/* NULL is allowed. */
void message_free(struct message *message);

/* The backlog of a stream: bytes as they came. Messages that wait by the ten
 * thousand, each a struct of its own, would take fifty times their bytes, and
 * leave the heap in fragments.
 */
struct backlog {
    struct buffer buffer; /* owned */
    size_t from, end;     /* of its bytes, those that are not taken yet */
};

/* Frees the bytes, and what was leased for them. */
void backlog_free(struct backlog *backlog, struct job_context *context,
                  struct lease *lease);

enum {
    CALL_PIECES = API_MAX_PIECES + 1, /* of a reply, with the prefix */
    CALL_TEXT = 1024, /* most bytes of an escaped grpc-message */
    /* Bytes that a call itself may take: this struct, its fields, nghttp2's
     * stream. Leased for all but the first call of a connection. */
    CALL_COST = 8 << 10,
};

/* A message on its way out, or the text of a reply that is no gRPC. */
struct call_out {
    unsigned char prefix[FRAMING_PREFIX];
    struct api_piece pieces[CALL_PIECES];
    int count, at;    /* pieces, and the first that is not sent whole */
    size_t offset;    /* in that */
    size_t len, left; /* bytes; those not handed to the output yet */
};

struct call {
    LIST_ENTRY(call) link;     /* of session->calls */
    STAILQ_ENTRY(call) closed; /* of session->closed */
    struct session *session;   /* borrowed */
    int32_t stream;
    uint64_t number;                      /* of the request on its loop */
    const struct api_grpc_method *method; /* NULL: not known */
    struct metadata metadata;
    struct lease lease; /* of CALL_COST */
    bool has_headers;   /* they have arrived */
    uint64_t arrived_ns, timeout_us;
    enum content_coding coding;       /* of compressed messages */
    enum content_coding reply_coding; /* wanted */

    struct message *next;   /* that arrives, or waits to be answered; owned */
    struct backlog backlog; /* of a stream: what follows a `next` that is whole;
                             * the window lacks these bytes */
    bool ended;             /* the client sends nothing more */
    uint64_t received, sent; /* bytes of messages */
    size_t unopened; /* bytes that its window lacks, for it is wide enough */

    struct worker_task task;
    struct api_grpc_call grpc;
    struct message *current; /* that is being answered; owned */
    bool running;            /* a worker has the job */
    bool answered;           /* its reply was sent; of a stream */
    bool reported;           /* it was counted and logged */

    struct call_out out;
    bool has_out;   /* a message is on its way out */
    bool started;   /* the reply's headers were submitted */
    bool finishing; /* the status follows what is on its way out */
    bool finished;  /* the status was submitted */
    bool complete;  /* and sent */
    bool is_plain;  /* the reply is HTTP's, for a client without gRPC */
    bool gone;      /* the stream is closed */
    bool deferred;  /* nghttp2 waits for data */
    enum api_grpc_code code;
    size_t unsent; /* bytes in the session's output */
    struct progress progress;

    bool watches, watched_ready; /* WATCH: what was sent last, if anything */
    char *text;                  /* of the status, escaped; owned, or NULL */

    /* The call is refused: its status follows the reply to the messages before.
     */
    bool doomed;
    int doom_status, doom_rejection;
    char doom[320]; /* text */
};

/* A stream has been opened. NULL without memory for it. */
struct call *call_open(struct session *session, int32_t stream);

/* A field of its headers, or of its trailers. */
void call_on_field(struct call *call, const void *name, size_t name_len,
                   const void *value, size_t value_len);

/* Its headers are whole, all of them, and whether a body follows. */
void call_on_headers(struct call *call);

/* Bytes of its body; they may lie where call_place() said. False if they are
 * not wanted any more. */
bool call_on_data(struct call *call, const unsigned char *data, size_t len);

/* The client sends nothing more. */
void call_on_end(struct call *call);

/* Where the next bytes of its body can be received, at most *size, which is
 * lowered; NULL: nowhere. */
unsigned char *call_place(struct call *call, size_t *size);

/* The stream is closed. The call lives on while a worker has its job, or the
 * output its bytes. */
void call_on_close(struct call *call);

/* Frees a call whose stream is closed, if nothing keeps it. */
void call_release(struct call *call);

/* All bytes of the message on its way out were sent. */
void call_on_sent(struct call *call);

/* The status was sent; the reply is whole. */
void call_on_complete(struct call *call);

/* Ends a call that is late and, with `judge`, once a second, cuts one whose
 * client is too slow. */
void call_check(struct call *call, uint64_t now_ms, unsigned crowd, bool judge);

/* True if the call waits for its client's next message, or for a change to
 * tell: nothing is lost when it ends. */
bool call_is_idle(const struct call *call);

/* True if any number of messages may come. */
static inline bool call_is_stream(const struct call *call)
{
    return call->method && call->method->kind == API_GRPC_STREAM;
}

/* True if a message waits to be answered. */
static inline bool call_has_whole(const struct call *call)
{
    return call->next && message_is_whole(call->next);
}

/* True while a large message arrives, also if its client pauses. */
static inline bool call_receives_large(const struct call *call)
{
    return call->next && !message_is_whole(call->next) &&
           call->next->body.reserved >= SOCKET_BUFFERS_LARGE;
}

/* Ends the call with this status of HTTP and text, after the replies to the
 * messages before. `rejection` is an enum metrics_rejection or -1. */
void call_fail(struct call *call, int status, int rejection, const char *text);

/* The same with a code that is not the status's own. */
void call_fail_as(struct call *call, enum api_grpc_code code, int status,
                  int rejection, const char *text);

/* WATCH: tells a change of readiness. */
void call_watch(struct call *call);

/* call_receive.c */

/* Whether its content-type is one of gRPC. */
bool call_is_grpc(const struct call *call);

/* Most bytes of a message, inflated too. */
size_t call_limit(const struct call *call);

/* Makes a job of the next message, if it is whole and none is being answered;
 * finishes the call after the last. */
void call_next(struct call *call);

/* Makes the next message of the backlog. */
void call_parse(struct call *call);

/* call_send.c: sends the job's reply: a message, or a status. */
void call_send(struct call *call);

/* The same, of a reply that is a message already. */
void call_send_message(struct call *call);

/* Ends the call with the job's reply, a refusal. */
void call_refuse(struct call *call);

/* What nghttp2 is to send now: at most `len` bytes of what is on its way out, 0
 * when nothing is. `last`: the status follows them. */
size_t call_next_data(struct call *call, size_t len, bool *last);

/* Submits the status, behind what is on its way out. */
void call_finish(struct call *call, enum api_grpc_code code, const char *text);

/* Hands the next `len` bytes that are on their way out to the output. */
void call_put(struct call *call, struct output *output, size_t len);
