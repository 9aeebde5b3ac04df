/* What a client sends in a call: headers, and messages. */
#include <nghttp2/nghttp2.h>

#include "server/grpc/session.h"

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

/* The windows are as wide as what is leased, within limits: of the socket, too.
 */
static void widen(struct call *call, const struct message *message)
{
    struct session *session = call->session;
    size_t window = message->body.reserved;

    if (call_receives_large(call))
        socket_buffers_receive(&session->transport.buffers, false);
    if (window <= SESSION_WINDOW)
        return;
    if (window > SESSION_WINDOW_MOST)
        window = SESSION_WINDOW_MOST;
    nghttp2_session_set_local_window_size(session->h2, NGHTTP2_FLAG_NONE,
                                          call->stream, (int32_t)window);
}

static void refuse_for_memory(struct call *call)
{
    call_fail(call, 503, METRICS_INFLIGHT_BYTES,
              "no memory for the message: try again");
}

/* The message that arrives. NULL: the call has been refused. */
static struct message *incoming(struct call *call)
{
    struct session *session = call->session;

    if (call->next && !call_has_whole(call))
        return call->next;
    if (call->next || (call->current && !call_is_stream(call))) {
        call_fail_as(call, API_GRPC_UNIMPLEMENTED, 400, -1,
                     "the call has more than one message");
        return NULL;
    }
    call->next = message_new(call->task.job.context, &session->peer,
                             &session->allowance);
    if (!call->next)
        refuse_for_memory(call);
    return call->next;
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

/* A refused one is not the call's any more: the status may be sent at once. */
static bool admit(struct call *call, struct message *message)
{
    call->next = NULL;
    if (call_admit_message(call, message)) {
        call->next = message;
        return true;
    }
    message_free(message);
    return false;
}

/* One part of `data`: of a prefix or of a message. Returns its length; 0 when
 * the call has been refused. */
static size_t take(struct call *call, const unsigned char *data, size_t len)
{
    struct message *message = incoming(call);
    size_t part;

    if (!message)
        return 0;
    if (!message_has_prefix(message)) {
        part = message_read_prefix(message, data, len);
        if (message_has_prefix(message) && !admit(call, message))
            return 0;
    } else {
        part = message_missing(message);
        if (part > len)
            part = len;
        if (!store(call, message, data, part))
            return 0;
    }
    call->received += part;
    return part;
}

static bool may_take(const struct call *call)
{
    return !call->doomed && !call->finishing && !call->session->flooded;
}

/* Takes what belongs to the next message; behind a whole one a stream may send
 * more. Returns how many bytes that are. */
static size_t take_next(struct call *call, const unsigned char *data,
                        size_t len)
{
    size_t taken = 0, part;

    while (taken < len && may_take(call) &&
           !(call_has_whole(call) && call_is_stream(call))) {
        part = take(call, data + taken, len - taken);
        if (part == 0)
            break;
        taken += part;
    }
    return taken;
}

static void keep(struct call *call, const unsigned char *data, size_t len)
{
    if (!backlog_add(&call->backlog, call->task.job.context, &call->lease, data,
                     len))
        refuse_for_memory(call);
}

void call_parse(struct call *call)
{
    struct backlog *backlog = &call->backlog;
    size_t left = backlog->end - backlog->from, taken;

    if (left == 0)
        return;
    taken = take_next(call, backlog->buffer.data + backlog->from, left);
    backlog->from += taken;
    session_consume(call->session, call->stream, taken);
    if (taken == left || !may_take(call))
        backlog_free(backlog, call->task.job.context, &call->lease);
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

static void open_window(struct call *call, size_t len)
{
    call->unopened += len;
    if (is_wide_enough(call, call->next))
        return;
    session_consume(call->session, call->stream, call->unopened);
    call->unopened = 0;
}

bool call_on_data(struct call *call, const unsigned char *data, size_t len)
{
    size_t taken = 0;
    bool wanted = may_take(call);

    if (call->backlog.end == 0)
        taken = take_next(call, data, len);
    if (taken < len && may_take(call))
        keep(call, data + taken, len - taken);
    else
        taken = len;
    if (call_has_whole(call) && call->method->kind != API_GRPC_UNARY)
        call_next(call);
    open_window(call, taken);
    return wanted;
}

unsigned char *call_place(struct call *call, size_t *size)
{
    struct message *last = call->next;
    unsigned char *place;
    size_t reserved;

    if (call->doomed || call->finishing || !last || !message_has_prefix(last))
        return NULL;
    if (*size > message_missing(last))
        *size = message_missing(last);
    if (*size < SESSION_DIRECT)
        return NULL;
    reserved = last->body.reserved;
    place = body_reserve(&last->body, size);
    if (last->body.reserved > reserved)
        widen(call, last);
    return place;
}

void call_on_end(struct call *call)
{
    call->ended = true;
    call_next(call);
}
