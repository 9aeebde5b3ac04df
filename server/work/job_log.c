#include "server/work/job_log.h"

enum { MOST_FIELDS = 20 };

struct record {
    struct log_field fields[MOST_FIELDS + 1]; /* the last has no name */
    int count;
};

/* Nothing without a text. */
static void put_text(struct record *record, const char *name, const char *text)
{
    if (text)
        record->fields[record->count++] = (struct log_field){name, text, 0};
}

static void put_number(struct record *record, const char *name, uint64_t number)
{
    record->fields[record->count++] =
        (struct log_field){name, NULL, (int64_t)number};
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

/* What not every request has. */
static void put_more(struct record *record, const struct job *job,
                     const struct job_log_request *request)
{
    if (job->model)
        put_text(record, "model", api_model_name(job->model));
    if (job->rejection >= 0)
        put_text(record, "reason", metrics_rejection_labels[job->rejection]);
    put_text(record, "trace_id", request->trace_id);
    put_text(record, "error", job->reply.error);
    put_text(record, "user_agent", request->user_agent);
}

/* A fault of ours is seen even where a client has switched errors off. */
static enum log_level choose_level(const struct job *job, int status)
{
    const struct log *log = job->context->log;

    if (status == 500 && log_wants(log, LOG_ERROR))
        return LOG_ERROR;
    return status == 500 || (job->context->options->access_log &&
                             log_wants(log, LOG_INFO))
               ? LOG_INFO
               : LOG_DEBUG;
}

bool job_log_wants(const struct job *job, int status)
{
    return status == 500 || job->context->options->access_log ||
           (job->reply.error && log_wants(job->context->log, LOG_DEBUG));
}

/* A fault of ours may repeat at every request; the lines of --access-log and of
 * debugging are wanted, all of them. */
void job_log(const struct job *job, const struct job_log_request *request)
{
    struct log *log = job->context->log;
    enum log_level level = choose_level(job, request->status);
    struct record record = {.count = 0};

    put_text(&record, "id", request->id);
    put_text(&record, "client", request->client);
    put_text(&record, "method", request->method);
    put_text(&record, "path", request->path);
    put_number(&record, "status", (uint64_t)request->status);
    put_number(&record, "received", request->received);
    put_number(&record, "sent", request->sent);
    put_number(&record, "us", request->duration_us);
    put_stages(&record, &job->times);
    put_more(&record, job, request);
    if (job->context->options->access_log || level == LOG_DEBUG)
        log_write_all(log, level, "request", record.fields);
    else
        log_write(log, level, "request", record.fields);
}
