#include "server/work/job.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void job_init(struct job *job, struct job_context *context)
{
    *job = (struct job){.context = context, .rejection = -1};
}

enum lease_verdict job_reserve(struct job *job, size_t bytes)
{
    enum lease_verdict verdict = lease_take(job->lease, bytes);

    if (verdict == LEASE_OK)
        job->reserved += bytes;
    return verdict;
}

size_t job_body_limit(const struct job *job, const char **name)
{
    size_t most = (size_t)job->context->options->http_max_input_size;
    bool is_own = job->body_limit > 0 && job->body_limit < most;

    if (!is_own)
        *name = "http-max-input-size";
    else
        *name = job->limit_name ? job->limit_name : "the limit of this route";
    return is_own ? job->body_limit : most;
}

void job_fail(struct job *job, int status, int rejection, const char *text)
{
    api_reply_free(&job->reply);
    api_reply_error(&job->reply, status, text);
    job->rejection = rejection;
}

void job_fail_memory(struct job *job, const char *what)
{
    char text[80];

    snprintf(text, sizeof(text), "no memory for %s: try again", what);
    job_fail(job, 503, METRICS_INFLIGHT_BYTES, text);
}

void job_fail_late(struct job *job)
{
    job_fail(job, 504, -1, "the request's timeout has passed");
}

void job_reply_text(struct job *job, job_print *print, const void *context,
                    const char *type, const char *what)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    bool failed = !out;

    if (out) {
        print(out, job, context);
        failed = ferror(out) != 0;
        failed |= fclose(out) != 0;
    }
    if (failed) {
        free(text);
        job_fail_memory(job, what);
        return;
    }
    job->reply = (struct api_reply){
        .status = 200,
        .content_type = type,
        .piece_count = 1,
        .pieces = {{text, len}},
        .owned = text,
    };
}

/* The 413 of a request that can never hold as much. */
static void fail_never(struct job *job, size_t bytes, const char *what)
{
    const struct budget *budget = &job->context->budget;
    size_t of_address = budget->addresses.limit;
    char text[300], also[80] = "";

    if (of_address > 0)
        snprintf(also, sizeof(also), ", or max-inflight-bytes-per-address, %zu",
                 of_address);
    snprintf(text, sizeof(text),
             "%s needs %zu bytes besides %zu held before, but one request may "
             "hold %zu: 3/4 of max-inflight-bytes, %zu%s, and %d",
             what, bytes, job->lease->held, lease_most(job->lease),
             budget->limit, also, CONNECTION_COST_ALLOWANCE);
    job_fail(job, 413, METRICS_INFLIGHT_BYTES, text);
}

void job_fail_reservation(struct job *job, enum lease_verdict verdict,
                          size_t bytes, const char *what)
{
    const struct budget *budget = &job->context->budget;
    bool by_address = verdict == LEASE_ADDRESS;
    char text[200];

    if (verdict == LEASE_NEVER) {
        fail_never(job, bytes, what);
        return;
    }
    snprintf(text, sizeof(text),
             "%s needs %zu bytes, but max-inflight-bytes%s, %zu, is used up: "
             "try again",
             what, bytes, by_address ? "-per-address" : "",
             by_address ? budget->addresses.limit : budget->limit);
    job_fail(job, 503, METRICS_INFLIGHT_BYTES, text);
}

void job_clear(struct job *job)
{
    struct lease *lease = job->lease;

    job_stop(job);
    api_reply_free(&job->reply);
    lease_give(lease, job->reserved);
    buffer_pool_put(&job->context->buffer_pool, &job->result);
    buffer_pool_put(&job->context->buffer_pool, &job->inflated);
    buffer_pool_put(&job->context->buffer_pool, &job->deflated);
    api_models_unref(job->models);
    job_init(job, job->context);
    job->lease = lease;
}
