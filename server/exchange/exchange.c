#include "server/exchange/exchange.h"

#include <stdio.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"
#include "server/message/headers.h"

void exchange_init(struct exchange *exchange, struct loop_context *loop,
                   const struct peer *peer, const struct worker_waiter *waiter,
                   void *context)
{
    struct job_context *jobs = &loop->service->jobs;

    *exchange = (struct exchange){.loop = loop};
    lease_init(&exchange->lease, &jobs->budget, peer);
    worker_init(&exchange->task, jobs, &loop->workers, waiter, context);
    exchange->task.job.lease = &exchange->lease;
    exchange->task.item.address = peer_hash(peer);
}

void exchange_open(struct exchange *exchange)
{
    if (exchange->number == 0)
        exchange->number = ++exchange->loop->request_count;
}

void exchange_next(struct exchange *exchange)
{
    struct worker_task *task = &exchange->task;
    uint32_t address = task->item.address;

    REQUIRE(!task->queued);
    job_clear(&task->job);
    worker_init(task, task->job.context, task->queue, task->waiter,
                task->waiter_context);
    task->job.lease = &exchange->lease;
    task->item.address = address;
}

void exchange_close(struct exchange *exchange)
{
    REQUIRE(exchange->number > 0);
    exchange_next(exchange);
    exchange->number = 0;
}

bool exchange_is_allowed(struct exchange *exchange, enum api_route_id route,
                         const char *method, route_auth_find *find,
                         void *context)
{
    const struct loop_context *loop = exchange->loop;

    return loop->profile->unrestricted ||
           route_auth_allow(&loop->service->route_auth, route, method, find,
                            context, &exchange->task.job.reply);
}

bool exchange_may_wait(struct exchange *exchange, uint64_t len)
{
    if (len <= EXCHANGE_SMALL)
        return true;
    exchange->task.job.request.body_len = len;
    return worker_admit(&exchange->task);
}

void exchange_prepare(struct exchange *exchange, const struct body *body)
{
    struct job *job = &exchange->task.job;
    struct api_request *request = &job->request;
    const struct service *service = exchange->loop->service;

    REQUIRE_WITH(job->reply.status == 0, "status %d", job->reply.status);
    REQUIRE(!job->models && job->lease == body->lease);
    job->times.whole = clock_now_ns();
    job->models = served_models_ref(&job->context->models);
    request->body = body->buffer.data;
    request->body_len = body->len;
    request->early = body->early;
    request->models = job->models;
    request->ready = service_get_phase(service) == SERVICE_RUNNING;
}

int exchange_status(const struct exchange *exchange, bool is_sent)
{
    int reply = exchange->task.job.reply.status;

    return reply == 500 || (is_sent && reply != 0) ? reply
                                                   : METRICS_CLIENT_GONE;
}

static bool wants_line(const struct job *job, int status)
{
    return status == 500 || job->context->options->access_log ||
           (job->reply.error && log_wants(job->context->log, LOG_DEBUG));
}

bool exchange_count(struct exchange *exchange, struct metrics_request *end)
{
    const struct job *job = &exchange->task.job;
    struct metrics *metrics = &exchange->loop->metrics;

    end->model = job->model;
    end->times = job->times;
    if (job->times.arrived > 0)
        end->duration_us = (clock_now_ns() - job->times.arrived) / 1000;
    metrics_count_request(metrics, end);
    if (job->rejection >= 0)
        metrics_count_rejection(metrics,
                                (enum metrics_rejection)job->rejection);
    return wants_line(job, end->status);
}

/* The line. */

enum {
    MOST_FIELDS = 20,
    ID_SIZE = 40, /* of an id that is made up, as text */

    /* Bytes of what a client sends: it cannot push the other fields out of the
     * line. */
    MOST_METHOD = 32,
    MOST_PATH = 256,
    MOST_AGENT = 200,
};

struct record {
    struct log_field fields[MOST_FIELDS + 1]; /* the last has no name */
    int count;
};

/* At most `most` bytes of a text, 0: all; nothing without one. */
static void put_text(struct record *record, const char *name, const char *text,
                     int64_t most)
{
    if (text)
        record->fields[record->count++] = (struct log_field){name, text, most};
}

static void put_number(struct record *record, const char *name, uint64_t number)
{
    record->fields[record->count++] =
        (struct log_field){name, NULL, (int64_t)number};
}

/* The client's id or, without one, an id made up. */
static const char *print_id(const struct exchange *exchange, const char *id,
                            char text[ID_SIZE])
{
    const struct loop_context *loop = exchange->loop;

    if (id && headers_is_safe_id(id))
        return id;
    snprintf(text, ID_SIZE, "%08x-%x-%llx", loop->service->instance,
             (unsigned)loop->index, (unsigned long long)exchange->number);
    return text;
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

/* A fault of ours is seen even where a client has switched errors off, and may
 * repeat at every request; the lines of --access-log and of debugging are
 * wanted, all of them. */
static void write_record(const struct job *job, int status,
                         const struct record *record)
{
    struct log *log = job->context->log;
    bool access_log = job->context->options->access_log;
    enum log_level level =
        access_log && log_wants(log, LOG_INFO) ? LOG_INFO : LOG_DEBUG;

    if (status == 500)
        level = log_wants(log, LOG_ERROR) ? LOG_ERROR : LOG_INFO;
    if (access_log || level == LOG_DEBUG)
        log_write_all(log, level, "request", record->fields);
    else
        log_write(log, level, "request", record->fields);
}

void exchange_log(const struct exchange *exchange,
                  const struct metrics_request *end,
                  const struct exchange_head *head)
{
    const struct job *job = &exchange->task.job;
    const char *trace = head->traceparent;
    char id[ID_SIZE], client[PEER_TEXT_SIZE];
    struct record record = {.count = 0};

    peer_text(exchange->lease.peer, client);
    put_text(&record, "id", print_id(exchange, head->id, id), 0);
    put_text(&record, "client", client, 0);
    put_text(&record, "method", head->method, MOST_METHOD);
    put_text(&record, "path", head->path, MOST_PATH);
    put_number(&record, "status", (uint64_t)end->status);
    put_number(&record, "received", end->received);
    put_number(&record, "sent", end->sent);
    put_number(&record, "us", end->duration_us);
    put_stages(&record, &job->times);
    if (job->model)
        put_text(&record, "model", api_model_name(job->model), 0);
    if (job->rejection >= 0)
        put_text(&record, "reason", metrics_rejection_labels[job->rejection],
                 0);
    if (trace && trace_context_is_valid(trace))
        put_text(&record, "trace_id", trace + TRACE_ID, TRACE_ID_DIGITS);
    put_text(&record, "error", job->reply.error, 0);
    put_text(&record, "user_agent", head->user_agent, MOST_AGENT);
    REQUIRE_WITH(record.count <= MOST_FIELDS, "%d fields", record.count);
    write_record(job, end->status, &record);
}
