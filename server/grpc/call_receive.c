/* What a client sends in a call: headers, and messages. */
#include <nghttp2/nghttp2.h>

#include "server/grpc/session.h"

enum {
    /* Messages of a stream that may wait for nothing; of more, so many count as
     * a frame of a flood. */
    MANY_MESSAGES = 1000,
    MESSAGES_A_FRAME = 8,
};

/* Many or long fields are leased, beside those of the first call of a
 * connection. */
void call_on_field(struct call *call, const void *name, size_t name_len,
                   const void *value, size_t value_len)
{
    struct metadata *metadata = &call->metadata;
    size_t before = metadata->capacity, more;

    metadata_add(metadata, name, name_len, value, value_len);
    if (before < METADATA_FIRST)
        before = METADATA_FIRST;
    if (metadata->capacity <= before || call->lease.held == 0)
        return;
    more = metadata->capacity - before;
    if (lease_take(&call->lease, more) != LEASE_OK)
        metadata->verdict = METADATA_NO_MEMORY;
}

void call_on_headers(struct call *call)
{
    call->has_headers = true;
    call->task.job.times.arrived = call->arrived_ns;
    call_admit(call);
}

/* The message that arrives; a new one after a whole one. NULL without memory.
 */
static struct message *incoming(struct call *call)
{
    struct session *session = call->session;
    struct message *last = TAILQ_LAST(&call->messages, message_queue);

    if (last && !message_is_whole(last))
        return last;
    last = message_new(call->task.job.context, &session->peer,
                       &session->allowance);
    if (last)
        TAILQ_INSERT_TAIL(&call->messages, last, link);
    return last;
}

/* The windows are as wide as what is leased, within limits: of the socket, too.
 */
static void widen(struct call *call, const struct message *message)
{
    struct session *session = call->session;
    size_t window = message->body.reserved;

    if (message->framing.length >= SOCKET_BUFFERS_LARGE) {
        session->large = true;
        socket_buffers_receive(&session->transport.buffers, false);
    }
    if (window <= SESSION_WINDOW)
        return;
    if (window > SESSION_WINDOW_MOST)
        window = SESSION_WINDOW_MOST;
    nghttp2_session_set_local_window_size(session->h2, NGHTTP2_FLAG_NONE,
                                          call->stream, (int32_t)window);
}

static bool may_have_more(const struct call *call)
{
    return call->method->kind == API_GRPC_STREAM ||
           (call->whole == 0 && !call->current);
}

/* A message that waits costs the loop more than its bytes: tens of thousands of
 * tiny ones are a flood. */
static void on_whole(struct call *call)
{
    struct session *session = call->session;

    if (++call->whole > MANY_MESSAGES && call->whole % MESSAGES_A_FRAME == 0 &&
        !flood_frame(&session->flood, session_now_ms(session)))
        session_refuse_flood(session);
    if (call->method->kind != API_GRPC_UNARY)
        call_next(call);
}

static bool begin(struct call *call, struct message *message)
{
    if (!may_have_more(call)) {
        call_fail(call, 400, -1, "the call has more than one message");
        return false;
    }
    return call_admit_message(call, message);
}

static bool store(struct call *call, struct message *message,
                  const unsigned char *data, size_t len)
{
    struct body *body = &message->body;
    size_t before = body->len, reserved = body->reserved;
    enum body_verdict verdict = BODY_OK;

    if (body->buffer.data && data == body->buffer.data + body->len)
        body_received(body, len);
    else
        verdict = body_append(body, (const char *)data, len);
    if (verdict != BODY_OK)
        return call_refuse_body(call, message, verdict);
    if (call->method->kind == API_GRPC_UNARY)
        worker_received(&call->task, before, body->len);
    if (body->reserved > reserved)
        widen(call, message);
    return true;
}

/* One part of `data`: of a prefix or of a message. Returns its length; 0 when
 * the call has been refused. */
static size_t take(struct call *call, const unsigned char *data, size_t len)
{
    struct message *message = incoming(call);
    size_t part;

    if (!message) {
        call_fail(call, 503, METRICS_INFLIGHT_BYTES,
                  "no memory for the message: try again");
        return 0;
    }
    if (!message_has_prefix(message)) {
        part = message_read_prefix(message, data, len);
        if (message_has_prefix(message) && !begin(call, message))
            return 0;
    } else {
        part = message_missing(message);
        if (part > len)
            part = len;
        if (!store(call, message, data, part))
            return 0;
    }
    call->received += part;
    if (message_is_whole(message))
        on_whole(call);
    return part;
}

/* Whether the open window is wide enough for the rest of the call: an update
 * would only wake a client that waits for its reply. */
static bool is_wide_enough(const struct call *call, const struct message *last)
{
    int32_t window = nghttp2_session_get_stream_local_window_size(
        call->session->h2, call->stream);

    return !call->doomed && call->method->kind == API_GRPC_UNARY && last &&
           message_has_prefix(last) && window >= SESSION_WINDOW_SPARE &&
           message_missing(last) <= (size_t)(window - SESSION_WINDOW_SPARE);
}

/* The window of the stream stays closed by what waits behind a whole message.
 */
static void keep_window(struct call *call, size_t len)
{
    struct message *last = TAILQ_LAST(&call->messages, message_queue);

    if (call->whole > 0 && last) {
        last->held += len;
        return;
    }
    call->unopened += len;
    if (is_wide_enough(call, last))
        return;
    session_consume(call->session, call->stream, call->unopened);
    call->unopened = 0;
}

void call_on_data(struct call *call, const unsigned char *data, size_t len)
{
    size_t all = len, part;

    while (len > 0 && !call->doomed && !call->finishing &&
           !call->session->flooded) {
        part = take(call, data, len);
        if (part == 0)
            return;
        data += part;
        len -= part;
    }
    keep_window(call, all);
}

unsigned char *call_place(struct call *call, size_t *size)
{
    struct message *last = TAILQ_LAST(&call->messages, message_queue);

    if (call->doomed || call->finishing || !last || !message_has_prefix(last))
        return NULL;
    if (*size > message_missing(last))
        *size = message_missing(last);
    if (*size < SESSION_DIRECT)
        return NULL;
    return body_reserve(&last->body, size);
}

void call_on_end(struct call *call)
{
    struct message *last = TAILQ_LAST(&call->messages, message_queue);

    call->ended = true;
    if (call->doomed)
        call_next(call);
    if (call->doomed || call->finishing)
        return;
    if (last && !message_is_whole(last))
        call_fail(call, 400, -1, "the call ends in the middle of a message");
    else if (call->method->kind != API_GRPC_STREAM && !last && !call->current)
        call_fail(call, 400, -1, "the call has no message");
    else
        call_next(call);
}
