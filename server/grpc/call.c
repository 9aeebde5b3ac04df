#include "server/grpc/call.h"

#include <assert.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/clock/clock.h"
#include "server/jobs/job_log.h"
#include "server/message/headers.h"
#include "server/message/trace_context.h"
#include "server/routes/server_routes.h"

enum {
    ID_SIZE = 160, /* of a request's id, as text */
    /* What a client sends is cut, so that it cannot push the other fields out
     * of the line. */
    PATH_SIZE = 129,
    AGENT_SIZE = 201,
};

/* The texts that are made for a line. */
struct texts {
    char id[ID_SIZE], client[PEER_TEXT_SIZE], path[PATH_SIZE];
    char agent[AGENT_SIZE], trace[TRACE_ID_DIGITS + 1];
};

/* One answered message. */
struct end {
    int status; /* HTTP's */
    uint64_t sent, duration_us;
    const char *traceparent; /* valid, or NULL */
};

/* The client's x-request-id or, without one, an id made up. */
static void print_id(struct call *call, char text[ID_SIZE])
{
    const struct loop_context *loop = call->session->port->loop;
    const char *id = metadata_find(&call->metadata, "x-request-id");

    if (id && headers_is_safe_id(id))
        snprintf(text, ID_SIZE, "%s", id);
    else
        snprintf(text, ID_SIZE, "%08x-%x-%llx", loop->service->instance,
                 (unsigned)loop->index, (unsigned long long)call->number);
}

static void print_request(struct call *call, struct texts *texts)
{
    const char *path = metadata_find(&call->metadata, ":path");

    print_id(call, texts->id);
    peer_text(&call->session->peer, texts->client);
    snprintf(texts->path, PATH_SIZE, "%s", path ? path : "");
}

/* What not every call has. */
static void print_more(struct call *call, const struct end *end,
                       struct texts *texts, struct job_log_request *request)
{
    const char *agent = metadata_find(&call->metadata, "user-agent");

    if (end->traceparent) {
        snprintf(texts->trace, sizeof(texts->trace), "%s",
                 trace_context_id(end->traceparent));
        request->trace_id = texts->trace;
    }
    if (agent) {
        snprintf(texts->agent, AGENT_SIZE, "%s", agent);
        request->user_agent = texts->agent;
    }
}

static size_t received(const struct call *call)
{
    return call->current ? call->current->body.len : (size_t)call->received;
}

static void write_line(struct call *call, const struct end *end)
{
    struct texts texts;
    struct job_log_request request = {.id = texts.id,
                                      .client = texts.client,
                                      .method = "gRPC",
                                      .path = texts.path,
                                      .status = end->status,
                                      .received = received(call),
                                      .sent = end->sent,
                                      .duration_us = end->duration_us};

    print_request(call, &texts);
    print_more(call, end, &texts, &request);
    job_log(&call->task.job, &request);
}

static void count(struct call *call, const struct end *end)
{
    const struct job *job = &call->task.job;
    struct metrics *metrics = &call->session->port->loop->metrics;
    struct metrics_request request = {
        .route = call->method ? call->method->label : NULL,
        .status = end->status,
        .duration_us = end->duration_us,
        .received = received(call),
        .sent = end->sent,
        .model = job->model,
        .times = job->times,
    };

    metrics_count_request(metrics, &request);
    if (job->rejection >= 0)
        metrics_count_rejection(metrics,
                                (enum metrics_rejection)job->rejection);
}

/* HTTP's status. A stream that was closed before its reply was sent has none,
 * but our own fault is one all the same. */
static int find_status(const struct call *call)
{
    int reply = call->task.job.reply.status;
    bool sent = call->complete || call->answered;

    return reply == 500 || (sent && reply != 0) ? reply : METRICS_CLIENT_GONE;
}

/* A stream between two messages has nothing to report. */
static bool has_something(const struct call *call)
{
    if (call->reported || !call->has_headers)
        return false;
    return call->current || !call->method || call->task.job.reply.status ||
           call->method->kind == API_GRPC_UNARY;
}

/* Counts and logs the message that was answered, or the call; once. */
static void report(struct call *call)
{
    const struct job *job = &call->task.job;
    struct end end = {.status = find_status(call), .sent = call->sent};

    if (!has_something(call))
        return;
    call->reported = true;
    end.traceparent = metadata_find(&call->metadata, "traceparent");
    if (end.traceparent && !trace_context_is_valid(end.traceparent))
        end.traceparent = NULL;
    end.duration_us = (clock_now_ns() - job->times.arrived) / 1000;
    if (call->method && call->method->kind == API_GRPC_STREAM)
        end.sent = call->has_out ? 0 : call->out.len;
    count(call, &end);
    if (job_log_wants(job, end.status))
        write_line(call, &end);
}

/* Most heap that a message of a method that is no inference takes: so many
 * times its length, and so many bytes. */
enum { OWNED_TIMES = 7, OWNED_BYTES = 1 << 10 };

static void suspend(void *context)
{
    struct call *call = context;

    call->running = true;
    call->session->running++;
}

static void resume(void *context)
{
    struct call *call = context;
    struct session *session = call->session;

    call->running = false;
    session->running--;
    if (call->gone) {
        call_release(call);
        session_release(session);
        return;
    }
    call_send(call);
    session_kick(session);
}

static bool send_reply(void *context)
{
    call_send(context);
    return true;
}

/* call_on_close() cancels the job itself. */
static bool has_gone(void *context)
{
    (void)context;
    return false;
}

static const struct worker_waiter waiter = {suspend, resume, send_reply,
                                            has_gone};

static void init_job(struct call *call)
{
    struct session *session = call->session;
    struct loop_context *loop = session->port->loop;

    worker_init(&call->task, &loop->service->jobs, &loop->workers, &waiter,
                call);
    call->task.job.lease = &call->lease;
    call->task.job.times.arrived = call->arrived_ns;
    call->task.address = session->address_hash;
}

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
    struct job *job = &call->task.job;
    struct message *message = call->current;
    struct service *service = call->session->port->loop->service;
    bool is_unary = call->method->kind == API_GRPC_UNARY;

    job->lease = &message->lease;
    job->times.arrived = is_unary ? call->arrived_ns : message->arrived_ns;
    job->times.whole = clock_now_ns();
    job->timeout_us = timeout_from(call, job->times.arrived);
    job->models = served_models_ref(&job->context->models);
    job->body_coding =
        message->framing.compressed ? call->coding : CODING_IDENTITY;
    job->body_limit = call_limit(call);
    job->limit_name = call->method->is_infer ? "grpc-max-message" : NULL;
    job->reply_coding = is_unary && call->method->is_infer ? call->reply_coding
                                                           : CODING_IDENTITY;
    job->request = (struct api_request){
        .body = message->body.buffer.data,
        .body_len = message->body.len,
        .models = job->models,
        .ready = service_get_phase(service) == SERVICE_RUNNING,
    };
}

/* Messages of other methods are small, and must be plain to become a request.
 */
static bool inflate(struct call *call)
{
    struct job *job = &call->task.job;

    if (call->method->is_infer || !job->body_coding)
        return true;
    if (!coded_body_inflate(job))
        return false;
    job->body_coding = CODING_IDENTITY;
    return true;
}

/* For what api_grpc_request() makes of a message. */
static bool reserve(struct call *call)
{
    struct job *job = &call->task.job;
    size_t bytes = OWNED_TIMES * job->request.body_len + OWNED_BYTES;
    enum lease_verdict verdict =
        call->method->is_infer ? LEASE_OK : job_reserve(job, bytes);

    if (verdict != LEASE_OK)
        job_fail_reservation(job, verdict, bytes, "the message");
    return verdict == LEASE_OK;
}

static bool make_request(struct call *call)
{
    static unsigned char none[1];
    struct job *job = &call->task.job;
    unsigned char *body = job->request.body ? job->request.body : none;

    return api_grpc_request(call->method, body, job->request.body_len,
                            &call->grpc, &job->request, &job->reply);
}

static bool is_authorized(struct call *call)
{
    struct job *job = &call->task.job;

    return call->method->is_infer ||
           route_auth_allow(&call->session->port->loop->service->route_auth,
                            call->grpc.route.id, job->request.method,
                            metadata_find, &call->metadata, &job->reply);
}

static void answer(struct call *call)
{
    prepare_job(call);
    if (!inflate(call) || !reserve(call)) {
        call_refuse(call);
    } else if (!make_request(call)) {
        call_send(call);
    } else if (call->method->kind == API_GRPC_WATCH) {
        call_watch(call);
    } else if (!is_authorized(call) ||
               server_routes_answer(&call->task.job, &call->grpc.route)) {
        call_send(call);
    } else {
        worker_start(&call->task);
    }
}

static void take_next(struct call *call)
{
    call->current = call->next;
    call->next = NULL;
    call_parse(call);
}

static bool is_doomed(const struct call *call)
{
    return call->doomed && !(call_is_stream(call) && call_has_whole(call));
}

/* The client sends nothing more, and no whole message waits. */
static void end(struct call *call)
{
    bool is_stream = call_is_stream(call);

    if (call->next)
        call_fail_as(call, API_GRPC_INTERNAL, 400, -1,
                     "the call ends in the middle of a message");
    else if (is_stream)
        call_finish(call, API_GRPC_OK, "");
    else if (!call->current)
        call_fail_as(call, API_GRPC_UNIMPLEMENTED, 400, -1,
                     "the call has no message");
}

/* A WATCH keeps its message between two replies. */
static bool is_busy(const struct call *call)
{
    return call->current &&
           (call->has_out || call->method->kind != API_GRPC_WATCH);
}

void call_next(struct call *call)
{
    /* HTTP's reply follows the request. */
    if (is_busy(call) || call->finishing || call->gone ||
        (call->is_plain && !call->ended))
        return;
    if (is_doomed(call)) {
        job_fail(&call->task.job, call->doom_status, call->doom_rejection,
                 call->doom);
        call_finish(call, call->code, call->doom);
    } else if (call_has_whole(call)) {
        if (call->ended || call->method->kind != API_GRPC_UNARY) {
            take_next(call);
            answer(call);
        }
    } else if (call->ended) {
        end(call);
    }
}

void call_watch(struct call *call)
{
    struct job *job = &call->task.job;
    struct service *service = call->session->port->loop->service;
    bool ready = service_get_phase(service) == SERVICE_RUNNING;

    if (!call->current || call->has_out || call->finishing ||
        (call->watches && call->watched_ready == ready))
        return;
    call->watches = true;
    call->watched_ready = ready;
    api_grpc_watch(&call->grpc, ready, &job->reply);
    call_send_message(call);
}

/* nghttp2_stream and its place in a table are a part of CALL_COST. */
static_assert(sizeof(struct call) + METADATA_FIRST + 1024 <= CALL_COST,
              "a call costs what is leased for it");

struct call *call_open(struct session *session, int32_t stream)
{
    struct job_context *jobs = &session->port->loop->service->jobs;
    struct call *call = calloc(1, sizeof(*call));

    if (!call)
        return NULL;
    call->session = session;
    call->stream = stream;
    lease_init_beside(&call->lease, &jobs->budget, &session->peer);
    if (session->call_count > 0 &&
        lease_take(&call->lease, CALL_COST) != LEASE_OK) {
        free(call);
        return NULL;
    }
    call->arrived_ns = clock_now_ns();
    session->idle_ms = session_now_ms(session);
    call->number = ++session->port->loop->request_count;
    init_job(call);
    LIST_INSERT_HEAD(&session->calls, call, link);
    session->call_count++;
    return call;
}

/* Frees what the message that was answered has held. */
static void end_message(struct call *call)
{
    worker_end(&call->task);
    job_clear(&call->task.job);
    api_grpc_call_free(&call->grpc);
    call->grpc = (struct api_grpc_call){.method = NULL};
    message_free(call->current);
    call->current = NULL;
    call->answered = call->reported = false;
    init_job(call);
}

static void free_call(struct call *call)
{
    report(call);
    end_message(call);
    message_free(call->next);
    backlog_free(&call->backlog, call->task.job.context, &call->lease);
    lease_give(&call->lease, call->lease.held);
    metadata_free(&call->metadata);
    free(call->text);
    free(call);
}

void call_release(struct call *call)
{
    if (!call->running && call->unsent == 0)
        free_call(call);
}

static void leave_sending(struct call *call)
{
    if (call->has_out && call->method && call->method->kind != API_GRPC_UNARY)
        call->session->sending_streams--;
    call->has_out = false;
}

void call_on_close(struct call *call)
{
    struct session *session = call->session;

    call->gone = true;
    if (session->data_call == call)
        session->data_call = NULL;
    LIST_REMOVE(call, link);
    session->call_count--;
    session->idle_ms = session_now_ms(session);
    leave_sending(call);
    if (call->running)
        worker_cancel(&call->task);
    if (call->unsent > 0)
        STAILQ_INSERT_TAIL(&session->closed, call, closed);
    else
        call_release(call);
}

/* A WATCH keeps its message: what it asked for is told again. */
void call_on_sent(struct call *call)
{
    leave_sending(call);
    if (call->method->kind == API_GRPC_WATCH) {
        api_reply_free(&call->task.job.reply);
        call_watch(call);
        call_next(call);
        return;
    }
    call->answered = true;
    call->session->idle_ms = session_now_ms(call->session);
    flood_earn(&call->session->flood, FLOOD_EARNED);
    report(call);
    end_message(call);
    call_next(call);
}

void call_on_complete(struct call *call)
{
    struct session *session = call->session;

    call->complete = true;
    session->answered++;
    flood_earn(&session->flood, call->ended ? FLOOD_EARNED : FLOOD_REFUSED);
    /* The rest of a refused body is not wanted. */
    if (!call->ended)
        nghttp2_submit_rst_stream(session->h2, NGHTTP2_FLAG_NONE, call->stream,
                                  NGHTTP2_NO_ERROR);
}

bool call_is_idle(const struct call *call)
{
    if (!call->method || call->finishing || call->has_out)
        return false;
    return call->method->kind == API_GRPC_WATCH ||
           (call->method->kind == API_GRPC_STREAM && !call->current &&
            !call->next);
}

void call_fail_as(struct call *call, enum api_grpc_code code, int status,
                  int rejection, const char *text)
{
    if (call->doomed || call->finishing || call->gone)
        return;
    call->doomed = true;
    call->code = code;
    call->doom_status = status;
    call->doom_rejection = rejection;
    snprintf(call->doom, sizeof(call->doom), "%s", text);
    call_next(call);
}

void call_fail(struct call *call, int status, int rejection, const char *text)
{
    call_fail_as(call, api_grpc_code(status), status, rejection, text);
}

static bool is_late(const struct call *call)
{
    return call->timeout_us > 0 &&
           clock_now_ns() / 1000 >= call->arrived_ns / 1000 + call->timeout_us;
}

/* True if bytes of the client are waited for, in one direction or the other. */
static bool is_moving(const struct call *call)
{
    if (call->has_out || (call->next && !message_is_whole(call->next)))
        return true;
    return !call->finishing && !call->current && !call->ended &&
           (!call->method || call->method->kind != API_GRPC_STREAM);
}

/* The pressure of the budget is for those who hold a part of it. */
static bool holds_budget(const struct call *call)
{
    const struct message *message = call->current ? call->current : call->next;

    return (message && message->lease.held > message->lease.allowance) ||
           call->backlog.buffer.capacity > 0 ||
           (call_is_idle(call) && call->lease.held > 0);
}

static unsigned pressure_on(const struct call *call, uint64_t now_ms,
                            unsigned crowd)
{
    struct budget *budget = &call->session->port->loop->service->jobs.budget;
    unsigned own = holds_budget(call) ? budget_pressure(budget, now_ms) : 0;

    return own > crowd ? own : crowd;
}

/* A call that waits for its client as long as that likes makes room, too, where
 * others lack what it holds. */
static bool is_judged(const struct call *call, uint64_t now_ms)
{
    return is_moving(call) ||
           (call_is_idle(call) && pressure_on(call, now_ms, 0) > 0);
}

static bool is_fast(struct call *call, uint64_t now_ms, unsigned crowd)
{
    const struct options *options =
        loop_context_options(call->session->port->loop);

    if (!is_judged(call, now_ms)) {
        call->progress = (struct progress){.started = false};
        return true;
    }
    return progress_check(&call->progress, now_ms,
                          call->received + call->sent - call->unsent,
                          (uint64_t)options->body_timeout * 1000,
                          pressure_on(call, now_ms, crowd));
}

static void cut(struct call *call)
{
    struct session *session = call->session;

    if (!is_moving(call)) {
        call_fail(call, 503, METRICS_INFLIGHT_BYTES,
                  "max-inflight-bytes is used up: idle calls make room");
        return;
    }
    if (!call->has_out) {
        call_fail(call, 408, METRICS_BODY_TIMEOUT,
                  "the body did not arrive in time");
        return;
    }
    if (call->task.job.rejection < 0)
        call->task.job.rejection = METRICS_SEND_TIMEOUT;
    nghttp2_submit_rst_stream(session->h2, NGHTTP2_FLAG_NONE, call->stream,
                              NGHTTP2_CANCEL);
}

void call_check(struct call *call, uint64_t now_ms, unsigned crowd, bool judge)
{
    if (call->running)
        return;
    if (is_late(call) && !call->has_out)
        call_fail(call, 504, -1, "the request's timeout has passed");
    if (judge && !is_fast(call, now_ms, crowd))
        cut(call);
}
