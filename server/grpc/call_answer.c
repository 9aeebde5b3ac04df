/* From a whole message to a job, and to its reply. */
#include "server/base/clock.h"
#include "server/grpc/call.h"
#include "server/routes/server_routes.h"

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

void call_init_job(struct call *call)
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
    if (!job_inflate(job))
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
