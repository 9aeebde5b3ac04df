/* The counters and the log line of a call; of a stream, of each message. */
#include <stdio.h>

#include "server/clock/clock.h"
#include "server/grpc/call.h"
#include "server/message/headers.h"

enum {
    ID_SIZE = 160, /* of a request's id, as text */
    /* What a client sends is cut, so that it cannot push the other fields out
     * of the line. */
    PATH_SIZE = 129,
    AGENT_SIZE = 201,
    MOST_FIELDS = 20,
};

void call_span(const struct call *call, char id[SPAN_ID_SIZE])
{
    const struct loop_context *loop = call->session->port->loop;
    uint64_t series = (uint64_t)loop->service->instance << 32;

    trace_context_span(series | (unsigned)loop->index, call->number, id);
}

/* The fields of a line, and the texts that are made for them. */
struct record {
    struct log_field fields[MOST_FIELDS + 1]; /* the last has no name */
    int count;
    char id[ID_SIZE], client[PEER_TEXT_SIZE], path[PATH_SIZE];
    char agent[AGENT_SIZE], trace[TRACE_ID_DIGITS + 1], span[SPAN_ID_SIZE];
};

/* One answered message. */
struct end {
    int status; /* HTTP's */
    uint64_t sent, duration_us;
    const char *traceparent; /* valid, or NULL */
};

static void put_text(struct record *record, const char *name, const char *text)
{
    record->fields[record->count++] = (struct log_field){name, text, 0};
}

static void put_number(struct record *record, const char *name, uint64_t number)
{
    record->fields[record->count++] =
        (struct log_field){name, NULL, (int64_t)number};
}

/* The client's x-request-id or, without one, an id made up. */
static void put_id(struct record *record, struct call *call)
{
    const struct loop_context *loop = call->session->port->loop;
    const char *id = metadata_find(&call->metadata, "x-request-id");

    if (id && headers_is_safe_id(id))
        snprintf(record->id, ID_SIZE, "%s", id);
    else
        snprintf(record->id, ID_SIZE, "%08x-%x-%llx", loop->service->instance,
                 (unsigned)loop->index, (unsigned long long)call->number);
    put_text(record, "id", record->id);
}

static void put_request(struct record *record, struct call *call)
{
    const char *path = metadata_find(&call->metadata, ":path");

    put_id(record, call);
    peer_text(&call->session->peer, record->client);
    put_text(record, "client", record->client);
    put_text(record, "method", "gRPC");
    snprintf(record->path, PATH_SIZE, "%s", path ? path : "");
    put_text(record, "path", record->path);
}

static void put_stages(struct record *record, const struct model_times *times)
{
    static const char *const names[MODEL_STAGES] = {
        [MODEL_QUEUE] = "queue_us",
        [MODEL_INPUT] = "read_us",
        [MODEL_INFER] = "move_us",
        [MODEL_OUTPUT] = "write_us",
    };
    uint64_t ns;

    for (int i = 0; i < MODEL_STAGES; i++)
        if (model_times_stage(times, (enum model_stage)i, &ns))
            put_number(record, names[i], ns / 1000);
}

static void put_more(struct record *record, struct call *call,
                     const struct end *end)
{
    const struct job *job = &call->task.job;
    const char *agent = metadata_find(&call->metadata, "user-agent");

    if (job->model)
        put_text(record, "model", api_model_name(job->model));
    if (job->rejection >= 0)
        put_text(record, "reason", metrics_rejection_labels[job->rejection]);
    if (end->traceparent) {
        snprintf(record->trace, sizeof(record->trace), "%s",
                 trace_context_id(end->traceparent));
        call_span(call, record->span);
        put_text(record, "trace_id", record->trace);
        put_text(record, "span_id", record->span);
    }
    if (agent) {
        snprintf(record->agent, AGENT_SIZE, "%s", agent);
        put_text(record, "user_agent", record->agent);
    }
}

static size_t received(const struct call *call)
{
    return call->current ? call->current->body.len : (size_t)call->received;
}

static void write_line(struct call *call, const struct end *end)
{
    const struct job *job = &call->task.job;
    struct log *log = job->context->log;
    bool is_fault = end->status == 500 && log_wants(log, LOG_ERROR);
    struct record record = {.count = 0};

    put_request(&record, call);
    put_number(&record, "status", (uint64_t)end->status);
    put_number(&record, "received", received(call));
    put_number(&record, "sent", end->sent);
    put_number(&record, "us", end->duration_us);
    put_stages(&record, &job->times);
    put_more(&record, call, end);
    if (job->context->options->access_log)
        log_write_all(log, is_fault ? LOG_ERROR : LOG_INFO, "request",
                      record.fields);
    else
        log_write(log, is_fault ? LOG_ERROR : LOG_INFO, "request",
                  record.fields);
}

static void count(struct call *call, const struct end *end)
{
    const struct job *job = &call->task.job;
    struct metrics *metrics = &call->session->port->loop->metrics;
    bool is_infer = call->method && call->method->is_infer;
    struct metrics_request request = {
        .route = call->method ? call->method->label : NULL,
        .status = end->status,
        .duration_us = end->duration_us,
        .received = received(call),
        .sent = end->sent,
        .model = job->model,
        .times = job->times,
        .trace_id = is_infer && end->traceparent &&
                            trace_context_is_sampled(end->traceparent)
                        ? trace_context_id(end->traceparent)
                        : NULL,
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
    if (end.status == 500 || job->context->options->access_log)
        write_line(call, &end);
}
