#include "server/jobs/job_execute.h"

#include <pthread.h>
#include <stdint.h>

#include "server/jobs/clock.h"
#include "server/jobs/coded_body.h"
#include "server/shm/request_regions.h"

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
    enum admission_verdict verdict = job_reserve(job, bytes);

    if (verdict != ADMISSION_OK) {
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
