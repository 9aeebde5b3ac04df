/* The counters and the log line of a call; of a stream, of each message. */
#include <stdio.h>

#include "server/base/clock.h"
#include "server/grpc/call.h"
#include "server/message/headers.h"

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

void call_report(struct call *call)
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
