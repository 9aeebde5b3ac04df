#include "server/grpc/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/core/require.h"
#include "kernels/core/size.h"
#include "server/base/clock.h"
#include "server/routes/server_routes.h"

enum { COPIED_PIECE = 512 }; /* bytes that are not worth a part to send */

/* Most heap that a message of a method that is no inference takes: so many
 * times its length, and so many bytes. */
enum { OWNED_TIMES = 7, OWNED_BYTES = 1 << 10 };

/* Ends the call: the status is sent alone. */
static void finish(struct call *call, enum api_grpc_code code, const char *text)
{
    REQUIRE_WITH(call->stage <= CALL_WATCHING, "stage %d", call->stage);
    call->status.code = code;
    if (text != call->status.text)
        snprintf(call->status.text, sizeof(call->status.text), "%s", text);
    call->stage = CALL_ENDING;
}

/* Puts the job's reply on its way out, behind gRPC's prefix. */
static void send_message(struct call *call)
{
    const struct job *job = &call->exchange.task.job;
    struct call_out *out = &call->out;
    size_t len = api_reply_bytes(&job->reply);

    REQUIRE_WITH(call->stage <= CALL_WATCHING, "stage %d", call->stage);
    REQUIRE_WITH(out->left == 0 && call->unsent == 0, "%zu, %zu", out->left,
                 call->unsent);
    if (len > UINT32_MAX) {
        finish(call, API_GRPC_RESOURCE_EXHAUSTED,
               "the answer has 4 GiB or more, which gRPC cannot carry");
        return;
    }
    framing_write(out->prefix, job->coded, (uint32_t)len);
    out->at = -1;
    out->offset = 0;
    out->len = out->left = len + FRAMING_PREFIX;
    call->stage =
        call->method->kind == API_GRPC_UNARY ? CALL_LAST : CALL_SENDING;
}

void call_refuse(struct call *call)
{
    struct api_grpc_status status =
        api_grpc_error(&call->exchange.task.job.reply);

    finish(call, status.code, status.text);
}

/* The rest of an inference was leased by its job. */
static bool reserve(struct call *call, size_t bytes, const char *what)
{
    struct job *job = &call->exchange.task.job;
    enum lease_verdict verdict =
        call->method->is_infer ? LEASE_OK : job_reserve(job, bytes);

    if (verdict == LEASE_OK)
        return true;
    job_fail_reservation(job, verdict, bytes, what);
    call_refuse(call);
    return false;
}

static void reply(struct call *call)
{
    struct job *job = &call->exchange.task.job;
    struct api_grpc_status status;

    job->times.sent = clock_now_ns();
    api_grpc_reply(&call->grpc, &job->request, &job->reply, &status);
    if (status.code != API_GRPC_OK)
        finish(call, status.code, status.text);
    else if (reserve(call, api_reply_bytes(&job->reply), "the answer"))
        send_message(call);
}

static void resume(void *context)
{
    struct call *call = context;

    if (call->stage == CALL_LEFT) {
        call->stage = CALL_CUT;
        call_release(call);
        return;
    }
    REQUIRE_WITH(call->stage == CALL_RUNNING, "stage %d", call->stage);
    call->stage = CALL_RECEIVING;
    reply(call);
    stream_wake(call);
}

/* call_on_close() cancels the job itself. */
static bool has_gone(void *context)
{
    (void)context;
    return false;
}

static const struct worker_waiter waiter = {resume, has_gone};

/* What is left of the call's timeout when the message arrives; of a late one,
 * as little as there is. */
static uint64_t timeout_from(const struct call *call, uint64_t arrived_ns)
{
    uint64_t passed_us = (arrived_ns - call->arrived_ns) / 1000;

    if (call->timeout_us == 0)
        return 0;
    return passed_us < call->timeout_us ? call->timeout_us - passed_us : 1;
}

static void prepare_job(struct call *call)
{
    struct job *job = &call->exchange.task.job;
    struct message *message = &call->in.message;
    bool is_unary = call->method->kind == API_GRPC_UNARY;

    REQUIRE(call_has_whole(call));
    job->lease = &message->lease;
    exchange_prepare(&call->exchange, &message->body);
    job->times.arrived = is_unary ? call->arrived_ns : message->arrived_ns;
    job->timeout_us = timeout_from(call, job->times.arrived);
    job->body_coding = message->prefix[0] ? call->in.coding : CODING_IDENTITY;
    job->body_limit = call_limit(call);
    job->limit_name = call->method->is_infer ? "grpc-max-message" : NULL;
    job->reply_coding = call->reply_coding;
}

/* Tells a change of readiness. */
static void tell(struct call *call)
{
    const struct service *service = call->exchange.loop->service;
    bool ready = service_get_phase(service) == SERVICE_RUNNING;

    REQUIRE(call->stage == CALL_WATCHING);
    if (call->told == (ready ? TOLD_READY : TOLD_NOT_READY))
        return;
    call->told = ready ? TOLD_READY : TOLD_NOT_READY;
    api_grpc_watch(&call->grpc, ready, &call->exchange.task.job.reply);
    send_message(call);
}

/* Messages of other methods than inferences must be plain to become a request,
 * and choose a route that may be restricted. */
static void answer(struct call *call)
{
    static unsigned char none[1];
    const struct api_grpc_method *method = call->method;
    struct job *job = &call->exchange.task.job;

    prepare_job(call);
    if (!method->is_infer && job->body_coding) {
        if (!job_inflate(job)) {
            call_refuse(call);
            return;
        }
        job->body_coding = CODING_IDENTITY;
    }
    if (!reserve(call, OWNED_TIMES * job->request.body_len + OWNED_BYTES,
                 "the message"))
        return;
    if (!api_grpc_request(method, job->request.body ? job->request.body : none,
                          job->request.body_len, &call->grpc, &job->request,
                          &job->reply)) {
        reply(call);
    } else if (method->kind == API_GRPC_WATCH) {
        call->stage = CALL_WATCHING;
        tell(call);
    } else if ((!method->is_infer &&
                !exchange_is_allowed(&call->exchange, call->grpc.route.id,
                                     job->request.method, metadata_find,
                                     &call->metadata)) ||
               server_routes_answer(job, &call->grpc.route) ||
               !worker_start(&call->exchange.task)) {
        reply(call);
    } else {
        REQUIRE_WITH(call->stage == CALL_RECEIVING, "stage %d", call->stage);
        call->stage = CALL_RUNNING;
        /* The job's time is not the client's. */
        call->progress = (struct progress){.started = false};
    }
}

/* The client sends nothing more, and no whole message waits. */
static void end(struct call *call)
{
    REQUIRE(call->in.backlog.len == 0);
    if (call->in.message.arrived_ns > 0)
        call_fail(call, API_GRPC_INTERNAL, 400, -1,
                  "the call ends in the middle of a message");
    else if (call_is_stream(call))
        finish(call, API_GRPC_OK, "");
    else
        call_fail(call, API_GRPC_UNIMPLEMENTED, 400, -1,
                  "the call has no message");
}

/* A whole message of a stream is answered before its fault, and clients of
 * HTTP read when they have sent all. */
static bool is_refused(const struct call *call)
{
    return call->status.fault &&
           !(call_is_stream(call) && call_has_whole(call)) &&
           (call->half_closed || !call->is_foreign);
}

/* The reply to a request that is not gRPC's: the error; to HEAD without it. */
static void refuse_foreign(struct call *call)
{
    const char *method = metadata_find(&call->metadata, ":method");

    call->stage = CALL_LAST;
    if (strcmp(method, "HEAD") != 0)
        call->out.len = call->out.left =
            api_reply_bytes(&call->exchange.task.job.reply);
}

/* No client of gRPC reads the JSON of an error, so none is made. */
static void refuse(struct call *call)
{
    const struct call_status *status = &call->status;
    struct job *job = &call->exchange.task.job;

    job->rejection = status->rejection;
    if (call->is_foreign) {
        api_reply_error(&job->reply, status->fault, status->text);
        refuse_foreign(call);
        return;
    }
    job->reply.status = status->fault;
    job->reply.error = status->text;
    finish(call, status->code, status->text);
}

void call_advance(struct call *call)
{
    REQUIRE_WITH(call->stage < CALL_CUT, "stage %d", call->stage);
    if (call->stage > CALL_WATCHING)
        return;
    if (!call->status.fault && call->half_closed && !call_has_whole(call))
        end(call);
    if (is_refused(call)) {
        refuse(call);
    } else if (call->stage == CALL_WATCHING) {
        tell(call);
    } else if (call_has_whole(call) &&
               /* the end of a unary call tells that no other follows */
               (call->half_closed || call->method->kind != API_GRPC_UNARY)) {
        answer(call);
    }
}

size_t call_next_data(const struct call *call, size_t len, bool *last)
{
    size_t left = call_has_out(call) ? call->out.left : 0;
    size_t size = size_min(len, left);

    *last = call->stage >= CALL_LAST && size == left;
    return size;
}

static struct api_piece piece_at(const struct call *call, int at)
{
    const struct api_reply *reply = &call->exchange.task.job.reply;

    REQUIRE_WITH(at < reply->piece_count, "%d of %d", at, reply->piece_count);
    return at < 0 ? (struct api_piece){call->out.prefix, FRAMING_PREFIX}
                  : reply->pieces[at];
}

void call_put(struct call *call, struct output *output, size_t len)
{
    struct call_out *out = &call->out;

    REQUIRE(call_has_out(call));
    REQUIRE_WITH(len <= out->left, "%zu of %zu", len, out->left);
    out->left -= len;
    call->sent += len;
    while (len > 0) {
        struct api_piece piece = piece_at(call, out->at);
        const char *from = (const char *)piece.data + out->offset;
        size_t part = size_min(piece.len - out->offset, len);
        /* A stream goes on when its reply was sent, not when it was copied. */
        bool ends = call->stage == CALL_SENDING && out->left + len == part;

        if (part > 0 && part <= COPIED_PIECE && !ends &&
            part <= OUTPUT_COPIED - output->copied_len)
            output_copy(output, from, part);
        else if (part > 0)
            output_borrow(output, from, part, &call->unsent);
        len -= part;
        out->offset += part;
        if (out->offset == piece.len) {
            out->at++;
            out->offset = 0;
        }
    }
}

/* A stream between two messages has nothing to report. */
static void report_message(struct call *call, bool is_answered)
{
    struct metadata *metadata = &call->metadata;
    const struct job *job = &call->exchange.task.job;
    bool has_job = job->times.whole > 0;
    const char *path;
    struct metrics_request end = {
        .route = call->method ? call->method->label : NULL,
        .status = exchange_status(&call->exchange, is_answered),
        .received =
            has_job ? call->in.message.body.len : (size_t)call->in.received,
        .sent = call_is_stream(call) ? call->out.len : call->sent,
    };

    if (call->stage == CALL_OPEN ||
        (call->method && call->method->kind != API_GRPC_UNARY && !has_job &&
         job->reply.status == 0))
        return;
    if (!exchange_count(&call->exchange, &end))
        return;
    path = metadata_find(metadata, ":path");
    exchange_log(&call->exchange, &end,
                 &(struct exchange_head){
                     .method = "gRPC",
                     .path = path ? path : "",
                     .id = metadata_find(metadata, "x-request-id"),
                     .traceparent = metadata_find(metadata, "traceparent"),
                     .user_agent = metadata_find(metadata, "user-agent"),
                 });
}

bool call_open(struct call *call, struct loop_context *loop,
               const struct peer *peer, bool *allowance, bool is_first)
{
    REQUIRE(call->stage == CALL_OPEN && !call->allowance);
    exchange_init(&call->exchange, loop, peer, &waiter, call);
    call->exchange.lease.allowance = 0; /* its messages have it */
    if (!is_first && lease_take(&call->exchange.lease, CALL_COST) != LEASE_OK)
        return false;
    call->allowance = allowance;
    body_init(&call->in.backlog, call->exchange.task.job.context,
              &call->exchange.lease);
    call->arrived_ns = clock_now_ns();
    exchange_open(&call->exchange);
    return true;
}

/* Frees the memory of the answered message. */
static void end_message(struct call *call)
{
    exchange_next(&call->exchange);
    call->exchange.task.job.times.arrived = call->arrived_ns;
    api_grpc_call_free(&call->grpc);
    call_drop(call);
}

void call_release(struct call *call)
{
    if (call->stage == CALL_LEFT || call->unsent > 0)
        return;
    REQUIRE_WITH(call->stage == CALL_OPEN || call->stage == CALL_SENT ||
                     call->stage == CALL_CUT,
                 "stage %d", call->stage);
    report_message(call, call->stage == CALL_SENT);
    end_message(call);
    body_free(&call->in.backlog);
    lease_give(&call->exchange.lease, call->exchange.lease.held);
    metadata_free(&call->metadata);
    stream_free(call);
}

/* Of a call whose headers have not come there is nothing to report: it stays
 * CALL_OPEN. */
void call_on_close(struct call *call)
{
    REQUIRE_WITH(call->stage < CALL_CUT, "stage %d", call->stage);
    REQUIRE(call->stage != CALL_RUNNING || call->unsent == 0);
    if (call->stage == CALL_RUNNING) {
        call->stage = CALL_LEFT;
        worker_cancel(&call->exchange.task);
    } else if (call->stage != CALL_SENT && call->stage != CALL_OPEN) {
        call->stage = CALL_CUT;
    }
}

/* A WATCH keeps its message: its service is reported again. */
bool call_on_sent(struct call *call)
{
    if (call->stage != CALL_SENDING || call->out.left > 0)
        return false;
    if (call->method->kind == API_GRPC_WATCH) {
        call->stage = CALL_WATCHING;
        return true;
    }
    report_message(call, true);
    end_message(call);
    call->stage = CALL_RECEIVING;
    call_parse(call);
    return true;
}

bool call_is_idle(const struct call *call)
{
    if (call->stage == CALL_WATCHING)
        return true;
    return call->stage == CALL_RECEIVING && call->method &&
           (call->method->kind == API_GRPC_WATCH ||
            (call_is_stream(call) && call->in.message.arrived_ns == 0));
}

bool call_fail(struct call *call, enum api_grpc_code code, int http,
               int rejection, const char *format, ...)
{
    struct call_status *status = &call->status;
    va_list args;

    REQUIRE_WITH(http >= 400, "status %d", http);
    if (status->fault || call->stage >= CALL_LAST)
        return false;
    status->code = code ? code : api_grpc_code(http);
    status->fault = http;
    status->rejection = rejection;
    va_start(args, format);
    vsnprintf(status->text, sizeof(status->text), format, args);
    va_end(args);
    return false;
}

/* True if bytes of the client are waited for, in one direction or the other. */
static bool is_moving(const struct call *call)
{
    if (call_has_out(call) ||
        (call->in.message.arrived_ns > 0 && !call_has_whole(call)))
        return true;
    return call->stage <= CALL_RECEIVING && !call_is_stream(call);
}

/* The budget's pressure applies to calls that hold a part of it. */
static bool holds_budget(const struct call *call)
{
    const struct lease *lease = &call->in.message.lease;

    return lease->held > lease->allowance || call->in.backlog.reserved > 0 ||
           (call_is_idle(call) && call->exchange.lease.held > 0);
}

/* An idle call, whose client may wait for ever, makes room too where others
 * lack the memory that it holds. */
static bool is_fast(struct call *call, uint64_t now_ms)
{
    struct job_context *jobs = call->exchange.task.job.context;
    unsigned pressure =
        holds_budget(call) ? budget_pressure(&jobs->budget, now_ms) : 0;

    if (!is_moving(call) && (!call_is_idle(call) || pressure == 0)) {
        call->progress = (struct progress){.started = false};
        return true;
    }
    return progress_check(
        &call->progress, now_ms, call->in.received + call->sent - call->unsent,
        (uint64_t)jobs->options->body_timeout * 1000, pressure);
}

/* Ends the call of a slow client: false if by a reset. */
static bool cut(struct call *call)
{
    struct job *job = &call->exchange.task.job;

    if (call_has_out(call) || call->is_foreign) {
        if (job->rejection < 0)
            job->rejection = call_has_out(call) ? METRICS_SEND_TIMEOUT
                                                : METRICS_BODY_TIMEOUT;
        return false;
    }
    if (is_moving(call))
        call_fail(call, API_GRPC_OK, 408, METRICS_BODY_TIMEOUT,
                  "the body did not arrive in time: body-timeout, in seconds, "
                  "is %lld",
                  (long long)job->context->options->body_timeout);
    else
        call_fail(call, API_GRPC_OK, 503, METRICS_INFLIGHT_BYTES,
                  "max-inflight-bytes is used up: idle calls make room");
    return true;
}

bool call_check(struct call *call, uint64_t now_ms, bool judge)
{
    uint64_t end_us = call->arrived_ns / 1000 + call->timeout_us;

    if (call->stage == CALL_RUNNING)
        return true;
    if (call->timeout_us > 0 && clock_now_us() >= end_us)
        call_fail(call, API_GRPC_OK, 504, -1,
                  "the request's timeout has passed");
    return !judge || is_fast(call, now_ms) || cut(call);
}
