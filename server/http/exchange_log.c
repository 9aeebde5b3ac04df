/* The line of a request in the log. */
#include <stdio.h>

#include "server/http/exchange.h"

enum {
    ID_SIZE = 160, /* of a request's id, as text */

    /* What a client sends is cut, so that it cannot push the other fields out
     * of the line. */
    METHOD_SIZE = 33,
    PATH_SIZE = 257,
    AGENT_SIZE = 201,

    MOST_FIELDS = 20,
};

/* The fields of a line, and the texts that are made for them. */
struct record {
    struct log_field fields[MOST_FIELDS + 1]; /* the last has no name */
    int count;
    char id[ID_SIZE], client[PEER_TEXT_SIZE];
    char method[METHOD_SIZE], path[PATH_SIZE], agent[AGENT_SIZE];
    char trace[TRACE_ID_DIGITS + 1], span[SPAN_ID_SIZE];
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

/* The client's X-Request-Id or, without one, an id made up. */
static void print_id(const struct exchange *exchange, char text[ID_SIZE])
{
    const struct loop_context *loop = exchange->connection->loop;

    if (exchange->headers.request_id)
        snprintf(text, ID_SIZE, "%s", exchange->headers.request_id);
    else
        snprintf(text, ID_SIZE, "%08x-%x-%llx", loop->service->instance,
                 (unsigned)loop->index, (unsigned long long)exchange->number);
}

static void put_request(struct record *record, const struct exchange *exchange)
{
    const struct request_line *line = &exchange->line;

    print_id(exchange, record->id);
    peer_text(&exchange->connection->peer, record->client);
    put_text(record, "id", record->id);
    put_text(record, "client", record->client);
    snprintf(record->method, METHOD_SIZE, "%s",
             line->method ? line->method : "");
    snprintf(record->path, PATH_SIZE, "%s", line->path ? line->path : "");
    put_text(record, "method", record->method);
    put_text(record, "path", record->path);
}

/* What not every request has. */
static void put_more(struct record *record, const struct exchange *exchange)
{
    const struct headers *headers = &exchange->headers;
    const struct job *job = &exchange->task.job;

    if (job->model)
        put_text(record, "model", api_model_name(job->model));
    if (job->rejection >= 0)
        put_text(record, "reason", metrics_rejection_labels[job->rejection]);
    if (headers->traceparent) {
        snprintf(record->trace, sizeof(record->trace), "%s",
                 trace_context_id(headers->traceparent));
        exchange_span(exchange, record->span);
        put_text(record, "trace_id", record->trace);
        put_text(record, "span_id", record->span);
    }
    if (headers->user_agent) {
        snprintf(record->agent, AGENT_SIZE, "%s", headers->user_agent);
        put_text(record, "user_agent", record->agent);
    }
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

/* A fault of ours is seen even where a client has switched errors off. */
static enum log_level choose_level(const struct log *log, int status)
{
    return status == 500 && log_wants(log, LOG_ERROR) ? LOG_ERROR : LOG_INFO;
}

/* A fault of ours may repeat at every request; the lines of --access-log are
 * wanted, all of them. */
void exchange_log(const struct exchange *exchange,
                  const struct exchange_end *end)
{
    const struct job *job = &exchange->task.job;
    struct log *log = job->context->log;
    enum log_level level = choose_level(log, end->status);
    struct record record = {.count = 0};

    put_request(&record, exchange);
    put_number(&record, "status", (uint64_t)end->status);
    put_number(&record, "received", exchange->body.len);
    put_number(&record, "sent", end->sent);
    put_number(&record, "us", end->duration_us);
    put_stages(&record, &job->times);
    put_more(&record, exchange);
    if (job->context->options->access_log)
        log_write_all(log, level, "request", record.fields);
    else
        log_write(log, level, "request", record.fields);
}
