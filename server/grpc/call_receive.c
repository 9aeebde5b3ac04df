/* What a client sends in a call: headers, which tell whether it is served, and
 * messages. */
#include <string.h>
#include <strings.h>

#include "kernels/core/require.h"
#include "kernels/core/size.h"
#include "kernels/core/status.h"
#include "server/base/clock.h"
#include "server/grpc/call.h"

/* The first message of a connection is a part of what that costs. */
static void open_message(struct call *call)
{
    struct message *message = &call->in.message;
    struct job_context *context = call->exchange.task.job.context;

    REQUIRE(message->arrived_ns == 0);
    message->arrived_ns = clock_now_ns();
    lease_init(&message->lease, &context->budget, call->exchange.lease.peer);
    if (!*call->allowance)
        message->lease.allowance = 0;
    *call->allowance = false;
    body_init(&message->body, context, &message->lease);
}

void call_drop(struct call *call)
{
    struct message *message = &call->in.message;

    if (message->arrived_ns == 0)
        return;
    body_free(&message->body);
    REQUIRE_WITH(message->lease.held == 0, "%zu", message->lease.held);
    if (message->lease.allowance > 0)
        *call->allowance = true;
    *message = (struct message){.arrived_ns = 0};
}

enum {
    SHOWN_PATH = 151, /* bytes of a text of the client in an error */
    SHOWN_CODING = 41,
};

static const char *find(const struct call *call, const char *name)
{
    return metadata_find((void *)(uintptr_t)&call->metadata, name);
}

const char *call_subtype(const struct call *call)
{
    static const char grpc[] = "application/grpc";
    const char *type = find(call, "content-type");
    size_t len = sizeof(grpc) - 1;

    if (!type || strncasecmp(type, grpc, len) != 0 || !strchr("+;", type[len]))
        return NULL;
    return type + len;
}

/* nghttp2 hands on no request without a method or, but for CONNECT, a path. */
static bool is_grpc(struct call *call)
{
    const char *subtype = call_subtype(call);
    bool is_post = strcmp(find(call, ":method"), "POST") == 0;

    call->is_foreign = !subtype || !is_post;
    if (!subtype)
        return call_fail(call, API_GRPC_OK, 415, -1,
                         "this port speaks gRPC: the content-type must be "
                         "application/grpc; HTTP has a port of its own");
    if (!is_post)
        return call_fail(call, API_GRPC_OK, 405, -1, "gRPC's method is POST");
    return *subtype != '+' || strncasecmp(subtype, "+proto", 6) == 0 ||
           call_fail(call, API_GRPC_UNIMPLEMENTED, 415, -1,
                     "messages must be in protobuf: application/grpc+proto");
}

static bool find_method(struct call *call)
{
    const char *path = find(call, ":path");
    char shown[SHOWN_PATH];

    call->method = api_grpc_find(path);
    return call->method ||
           call_fail(call, API_GRPC_UNIMPLEMENTED, 404, -1, "unknown method %s",
                     shorten(path, strlen(path), shown, sizeof(shown)));
}

static bool fits(struct call *call)
{
    if (call->metadata.verdict == METADATA_NO_MEMORY)
        return call_fail(call, API_GRPC_OK, 503, -1,
                         "no memory for the headers: try again");
    return call->metadata.verdict == METADATA_OK ||
           call_fail(call, API_GRPC_RESOURCE_EXHAUSTED, 431, -1,
                     "the headers have %zu bytes, but %d is the limit",
                     call->metadata.list_size, METADATA_MAX);
}

/* Other methods are restricted by the route that a message chooses. */
static bool is_allowed(struct call *call)
{
    if (exchange_is_allowed(&call->exchange, call->method->route, "GET",
                            metadata_find, &call->metadata))
        return true;
    call_refuse(call);
    return false;
}

static bool read_timeout(struct call *call)
{
    const char *text = find(call, "grpc-timeout");

    return !text || framing_timeout(text, &call->timeout_us) ||
           call_fail(call, API_GRPC_INTERNAL, 400, -1,
                     "grpc-timeout is '%.20s', but it must be 1 to 8 digits "
                     "and a unit of H, M, S, m, u or n",
                     text);
}

/* Clients list gzip whether or not they want it: a reply is compressed for one
 * that compresses its request, if a worker can do it. */
static enum content_coding choose_coding(const struct call *call)
{
    const char *accept = find(call, "grpc-accept-encoding");
    enum content_coding_policy policy =
        (enum content_coding_policy)
            call->exchange.task.job.context->options->http_response_compression;

    if (!call->method->is_infer || call->method->kind != API_GRPC_UNARY)
        return CODING_IDENTITY;
    if (policy == CODING_AUTO)
        policy = call->in.coding == CODING_GZIP ? CODING_ALWAYS : CODING_NEVER;
    return content_coding_choose(accept, policy);
}

static bool read_codings(struct call *call)
{
    const char *name = find(call, "grpc-encoding");
    char shown[SHOWN_CODING];

    if (name && !*name)
        name = NULL;
    if (content_coding_parse(name, &call->in.coding)) {
        call->reply_coding = choose_coding(call);
        return true;
    }
    return call_fail(
        call, API_GRPC_UNIMPLEMENTED, 415, -1,
        "grpc-encoding is %s, but must be identity, gzip or deflate",
        shorten(name, strlen(name), shown, sizeof(shown)));
}

/* In the documented order. */
static bool admit_call(struct call *call)
{
    return fits(call) && is_grpc(call) && find_method(call) &&
           is_allowed(call) && read_timeout(call) && read_codings(call);
}

size_t call_limit(const struct call *call)
{
    const struct options *options = call->exchange.task.job.context->options;
    size_t limit = (size_t)options->http_max_input_size;

    if (options->grpc_max_message > 0 &&
        (size_t)options->grpc_max_message < limit)
        limit = (size_t)options->grpc_max_message;
    return call->method->is_infer || limit < API_GRPC_SMALL_MESSAGE
               ? limit
               : (size_t)API_GRPC_SMALL_MESSAGE;
}

static bool refuse_for_memory(struct call *call)
{
    return call_fail(call, API_GRPC_OK, 503, METRICS_INFLIGHT_BYTES,
                     "max-inflight-bytes is used up, or the memory: try again");
}

/* In few words: a worker may have the job, whose texts say more. */
static bool refuse_body(struct call *call, const struct message *message,
                        enum body_verdict verdict)
{
    bool by_limit = verdict == BODY_TOO_LARGE;

    if (!by_limit && verdict != BODY_NEVER)
        return refuse_for_memory(call);
    return call_fail(call, API_GRPC_OK, 413,
                     by_limit ? METRICS_BODY_TOO_LARGE : METRICS_INFLIGHT_BYTES,
                     "the message has %u bytes, but the limit is %zu",
                     framing_length(message->prefix),
                     by_limit ? call_limit(call) : lease_most(&message->lease));
}

/* A large message is not even read when its job would wait too long. */
static bool has_worker(struct call *call, const struct message *message)
{
    struct job *job = &call->exchange.task.job;

    if (!call->method->is_infer || call->method->kind != API_GRPC_UNARY)
        return true;
    job->request.is_protobuf = true;
    if (exchange_may_wait(&call->exchange, message->body.announced))
        return true;
    call_refuse(call);
    return false;
}

static bool check_flag(struct call *call, unsigned flag, uint32_t length)
{
    const char *fault = NULL;

    if (flag > 1)
        fault = "the flag in front of a message must be 0 or 1";
    else if (flag && !call->in.coding)
        fault = "a message is compressed, but there is no grpc-encoding";
    else if (flag && length == 0)
        fault = "a compressed message must have bytes";
    return !fault || call_fail(call, API_GRPC_INTERNAL, 400, -1,
                               "%s: the flag is %u", fault, flag);
}

static bool admit_message(struct call *call, struct message *message)
{
    uint32_t length = framing_length(message->prefix);
    enum body_verdict verdict;

    if (!check_flag(call, message->prefix[0], length))
        return false;
    message->body.limit = call_limit(call);
    verdict = body_announce(&message->body, length);
    if (verdict != BODY_OK)
        return refuse_body(call, message, verdict);
    return has_worker(call, message);
}

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
    if (metadata->capacity <= before || call->exchange.lease.held == 0)
        return;
    more = metadata->capacity - before;
    if (lease_take(&call->exchange.lease, more) != LEASE_OK)
        metadata->verdict = METADATA_NO_MEMORY;
}

void call_on_headers(struct call *call)
{
    if (call->stage != CALL_OPEN)
        return;
    call->stage = CALL_RECEIVING;
    call->exchange.task.job.times.arrived = call->arrived_ns;
    admit_call(call);
}

static bool store(struct call *call, struct message *message,
                  const unsigned char *data, size_t len)
{
    struct body *body = &message->body;
    enum body_verdict verdict = BODY_OK;

    if (body->buffer.data && data == body->buffer.data + body->len)
        body_received(body, len);
    else
        verdict = body_append(body, (const char *)data, len);
    if (verdict != BODY_OK)
        return refuse_body(call, message, verdict);
    return true;
}

/* One part of `data`: of a prefix or of a message. Returns its length; 0 when
 * the call has been refused. */
static size_t take(struct call *call, const unsigned char *data, size_t len)
{
    struct message *message = &call->in.message;
    size_t part;

    if (message->arrived_ns == 0)
        open_message(call);
    if (message_has_prefix(message)) {
        part = size_min(message_missing(message), len);
        if (!store(call, message, data, part))
            return 0;
    } else {
        part = size_min(FRAMING_PREFIX - message->prefix_len, len);
        memcpy(message->prefix + message->prefix_len, data, part);
        message->prefix_len += (unsigned)part;
        if (message_has_prefix(message) && !admit_message(call, message)) {
            call_drop(call);
            return 0;
        }
    }
    call->in.received += part;
    return part;
}

static bool may_take(const struct call *call)
{
    return !call->status.fault && call->stage < CALL_LAST;
}

/* Takes what belongs to the present message. Returns how many bytes it is. */
static size_t take_next(struct call *call, const unsigned char *data,
                        size_t len)
{
    size_t taken = 0, part;

    while (taken < len && may_take(call) && !call_has_whole(call)) {
        part = take(call, data + taken, len - taken);
        if (part == 0)
            break;
        taken += part;
    }
    return taken;
}

/* Appends a copy to the backlog. */
static void queue_up(struct call *call, const unsigned char *data, size_t len)
{
    struct body *backlog = &call->in.backlog;

    REQUIRE(call_has_whole(call));
    REQUIRE_WITH(call->in.parsed <= backlog->len, "%zu of %zu", call->in.parsed,
                 backlog->len);
    if (call->in.parsed > backlog->len / 2) {
        backlog->len -= call->in.parsed;
        memmove(backlog->buffer.data, backlog->buffer.data + call->in.parsed,
                backlog->len);
        call->in.parsed = 0;
    }
    if (body_append(backlog, (const char *)data, len) != BODY_OK)
        refuse_for_memory(call);
}

void call_parse(struct call *call)
{
    struct body *backlog = &call->in.backlog;
    size_t left = backlog->len - call->in.parsed, taken;

    if (left == 0)
        return;
    taken = take_next(call, backlog->buffer.data + call->in.parsed, left);
    call->in.parsed += taken;
    if (taken > 0)
        stream_consume(call, taken);
    if (taken == left || !may_take(call)) {
        body_free(backlog);
        call->in.parsed = 0;
    }
}

bool call_on_data(struct call *call, const unsigned char *data, size_t len)
{
    size_t taken = 0;
    bool wanted = may_take(call);

    REQUIRE(call->stage != CALL_OPEN && !call->half_closed);
    if (call->in.backlog.len == 0)
        taken = take_next(call, data, len);
    if (taken < len && may_take(call) && call_is_stream(call)) {
        queue_up(call, data + taken, len - taken);
    } else {
        if (taken < len)
            call_fail(call, API_GRPC_UNIMPLEMENTED, 400, -1,
                      "the call has more than one message");
        taken = len;
    }
    stream_consume(call, taken);
    return wanted;
}

unsigned char *call_place(struct call *call, size_t *size)
{
    struct message *message = &call->in.message;

    if (!may_take(call) || !message_has_prefix(message))
        return NULL;
    if (*size > message_missing(message))
        *size = message_missing(message);
    if (*size < CALL_DIRECT)
        return NULL;
    return body_reserve(&message->body, size);
}
