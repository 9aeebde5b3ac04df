#include "server/grpc/call.h"

#include <assert.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/base/clock.h"

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
    call_init_job(call);
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
    call_init_job(call);
}

static void free_call(struct call *call)
{
    call_report(call);
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
    call_report(call);
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
