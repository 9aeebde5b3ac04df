#include "server/jobs/job.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void job_init(struct job *job, struct job_context *context)
{
    *job = (struct job){.context = context, .rejection = -1};
}

enum admission_verdict job_reserve(struct job *job, size_t bytes)
{
    enum admission_verdict verdict = admission_reserve(
        &job->context->admission, job->body_reserved + job->reserved, bytes);

    if (verdict == ADMISSION_OK)
        job->reserved += bytes;
    return verdict;
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

void job_fail_reservation(struct job *job, enum admission_verdict verdict,
                          size_t bytes, const char *what)
{
    char text[200];
    size_t limit = job->context->admission.bytes_limit;

    if (verdict == ADMISSION_NEVER) {
        snprintf(text, sizeof(text),
                 "%s needs %zu bytes besides %zu reserved before, but "
                 "max-inflight-bytes is %zu",
                 what, bytes, job->body_reserved, limit);
        job_fail(job, 413, METRICS_INFLIGHT_BYTES, text);
    } else {
        snprintf(text, sizeof(text),
                 "%s needs %zu bytes, but max-inflight-bytes, %zu, is used "
                 "up: try again",
                 what, bytes, limit);
        job_fail(job, 503, METRICS_INFLIGHT_BYTES, text);
    }
}

void job_clear(struct job *job, uint64_t now_ms)
{
    api_reply_free(&job->reply);
    buffer_pool_put(&job->context->buffer_pool, &job->result, now_ms);
    buffer_pool_put(&job->context->buffer_pool, &job->inflated, now_ms);
    buffer_pool_put(&job->context->buffer_pool, &job->deflated, now_ms);
    admission_release(&job->context->admission, job->reserved);
    api_models_unref(job->models);
    job_init(job, job->context);
}
