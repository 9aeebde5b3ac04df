#include "server/jobs/job.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "server/jobs/clock.h"
#include "server/jobs/content_coding.h"
#include "server/shm/use.h"

const char job_late[] = "the request's timeout has passed";

void job_init(struct job *job, struct job_context *context)
{
    *job = (struct job){.context = context, .rejection = -1};
}

void job_fail(struct job *job, int status, int rejection, const char *text)
{
    api_reply_free(&job->reply);
    api_reply_error(&job->reply, status, text);
    job->rejection = rejection;
}

void job_text(struct job *job, char *text, size_t len, const char *type,
              const char *what)
{
    char error[80];

    if (text) {
        job->reply = (struct api_reply){
            .status = 200,
            .content_type = type,
            .piece_count = 1,
            .pieces = {{text, len}},
            .owned = text,
        };
        return;
    }
    snprintf(error, sizeof(error), "no memory for %s: try again", what);
    job_fail(job, 503, -1, error);
}

void job_refuse_bytes(struct job *job, enum admission_verdict verdict,
                      size_t bytes, const char *what)
{
    char text[200];
    size_t limit = job->context->admission.bytes_limit;

    if (verdict == ADMISSION_NEVER) {
        snprintf(text, sizeof(text),
                 "%s needs %zu bytes beside the %zu held, but "
                 "max-inflight-bytes is %zu",
                 what, bytes, job->body_reserved, limit);
        job_fail(job, 413, METRICS_INFLIGHT_BYTES, text);
    } else {
        snprintf(text, sizeof(text),
                 "%s needs %zu bytes and max-inflight-bytes, %zu, is taken "
                 "up: try again",
                 what, bytes, limit);
        job_fail(job, 503, METRICS_INFLIGHT_BYTES, text);
    }
}

static bool is_late(const struct job *job, uint64_t timeout_us)
{
    return timeout_us > 0 &&
           clock_now_us() - job->times.arrived / 1000 >= timeout_us;
}

static bool reserve(struct job *job, const struct api_plan *plan)
{
    struct job_context *context = job->context;
    size_t bytes = plan->memory;
    enum admission_verdict verdict;

    if (plan->held > SIZE_MAX - bytes) {
        job_refuse_bytes(job, ADMISSION_NEVER, SIZE_MAX, "the answer");
        return false;
    }
    bytes += plan->held;
    verdict = admission_reserve(
        &context->admission, job->body_reserved + job->coded_reserved, bytes);
    if (verdict != ADMISSION_OK) {
        job_refuse_bytes(job, verdict, bytes, "the answer");
        return false;
    }
    job->reserved = bytes;
    if (!buffer_pool_get(&context->buffer_pool, plan->memory, &job->result)) {
        job_fail(job, 503, METRICS_INFLIGHT_BYTES,
                 "no memory for the answer: try again");
        return false;
    }
    return true;
}

static void execute(struct job *job, struct api_plan *plan)
{
    if (!reserve(job, plan))
        return;
    job->times.prepared = clock_now_ns();
    if (is_late(job, plan->timeout_us))
        job_fail(job, 504, -1, job_late);
    else if (atomic_load_explicit(&job->cancel, memory_order_relaxed))
        job_fail(job, 503, -1, "the request was cancelled");
    else
        api_execute(plan, job->result.data, &job->cancel, &job->reply);
    job->times.executed = clock_now_ns();
}

static void prepare_and_execute(struct job *job)
{
    struct api_plan plan = {0};
    bool planned;

    planned = api_prepare(&job->request, &plan, &job->reply);
    job->model = plan.model;
    if (planned)
        execute(job, &plan);
    api_plan_free(&plan);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void free_cache(void *cache)
{
    api_cache_free(cache);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, free_cache) == 0;
}

/* The calling thread's cache of documents, made by its first call and freed
 * when the thread ends; NULL without memory. */
static struct document_cache *thread_cache(void)
{
    struct document_cache *cache;

    pthread_once(&once, make_key);
    cache = has_key ? pthread_getspecific(key) : NULL;
    if (cache || !has_key)
        return cache;
    cache = api_cache_new();
    if (!cache || pthread_setspecific(key, cache) == 0)
        return cache;
    api_cache_free(cache);
    return NULL;
}

void job_run(struct job *job)
{
    struct shm_use use;
    struct status st;

    job->times.started = clock_now_ns();
    if (!content_coding_read_body(job))
        return;
    job->request.cache = thread_cache();
    job->request.regions = shm_use_begin(&use, &job->context->shm);
    prepare_and_execute(job);
    job->request.regions = NULL;
    job->request.cache = NULL;
    if (!shm_use_end(&use, &st))
        job_fail(job, 400, -1, st.message);
    content_coding_write_reply(job);
}

void job_clear(struct job *job, uint64_t now_ms)
{
    api_reply_free(&job->reply);
    buffer_pool_put(&job->context->buffer_pool, &job->result, now_ms);
    buffer_pool_put(&job->context->buffer_pool, &job->inflated, now_ms);
    buffer_pool_put(&job->context->buffer_pool, &job->deflated, now_ms);
    admission_release(&job->context->admission,
                      job->reserved + job->coded_reserved);
    model_set_unref(job->models);
    job_init(job, job->context);
}
