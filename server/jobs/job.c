#include "server/jobs/job.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/jobs/clock.h"
#include "server/shm/request_regions.h"

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
             "hold %zu: half of max-inflight-bytes, %zu%s, and %d",
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

    api_reply_free(&job->reply);
    lease_give(lease, job->reserved);
    buffer_pool_put(&job->context->buffer_pool, &job->result);
    buffer_pool_put(&job->context->buffer_pool, &job->inflated);
    buffer_pool_put(&job->context->buffer_pool, &job->deflated);
    api_models_unref(job->models);
    job_init(job, job->context);
    job->lease = lease;
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

/* The calling thread's cache of documents. Made by the first call, freed at the
 * end of the thread; NULL without memory. */
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

static bool is_late(const struct job *job, uint64_t timeout_us)
{
    return timeout_us > 0 &&
           clock_now_us() - job->times.arrived / 1000 >= timeout_us;
}

static bool reserve(struct job *job, const struct api_plan *plan)
{
    bool fits = plan->heap_bytes <= SIZE_MAX - plan->memory;
    size_t bytes = fits ? plan->memory + plan->heap_bytes : SIZE_MAX;
    enum lease_verdict verdict = job_reserve(job, bytes);

    if (verdict != LEASE_OK) {
        job_fail_reservation(job, verdict, bytes, "the answer");
        return false;
    }
    if (buffer_pool_get(&job->context->buffer_pool, plan->memory, &job->result))
        return true;
    job_fail_memory(job, "the answer");
    return false;
}

static void execute(struct job *job, struct api_plan *plan)
{
    if (!reserve(job, plan))
        return;
    job->times.prepared = clock_now_ns();
    if (is_late(job, plan->timeout_us))
        job_fail_late(job);
    else if (job_is_cancelled(job))
        job_fail(job, 503, -1, "the request was cancelled");
    else
        api_execute(plan, job->result.data, &job->cancel, &job->reply);
    job->times.executed = clock_now_ns();
}

static void prepare_and_execute(struct job *job)
{
    struct api_plan plan = {0};
    bool planned = api_prepare(&job->request, &plan, &job->reply);

    job->model = plan.model;
    if (planned)
        execute(job, &plan);
    api_plan_free(&plan);
}

void job_execute(struct job *job)
{
    struct request_regions used;
    struct status st;

    job->times.started = clock_now_ns();
    if (!coded_body_inflate(job))
        return;
    job->request.cache = thread_cache();
    job->request.regions = request_regions_begin(&used, &job->context->shm);
    prepare_and_execute(job);
    job->request.regions = NULL;
    job->request.cache = NULL;
    if (!request_regions_end(&used, &st))
        job_fail(job, 400, -1, st.message);
    coded_body_deflate(job);
}
