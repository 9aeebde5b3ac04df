#include "server/jobs/job_execute.h"

#include <stdint.h>

#include "server/jobs/clock.h"
#include "server/jobs/content_coding_read.h"
#include "server/jobs/content_coding_write.h"
#include "server/jobs/thread_document_cache.h"
#include "server/shm/request_regions.h"

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

    if (plan->heap_bytes > SIZE_MAX - bytes) {
        job_fail_reservation(job, ADMISSION_NEVER, SIZE_MAX, "the answer");
        return false;
    }
    bytes += plan->heap_bytes;
    verdict = admission_reserve(
        &context->admission, job->body_reserved + job->coded_reserved, bytes);
    if (verdict != ADMISSION_OK) {
        job_fail_reservation(job, verdict, bytes, "the answer");
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
        job_fail_late(job);
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

void job_execute(struct job *job)
{
    struct request_regions used;
    struct status st;

    job->times.started = clock_now_ns();
    if (!content_coding_read_body(job))
        return;
    job->request.cache = thread_document_cache();
    job->request.regions = request_regions_begin(&used, &job->context->shm);
    prepare_and_execute(job);
    job->request.regions = NULL;
    job->request.cache = NULL;
    if (!request_regions_end(&used, &st))
        job_fail(job, 400, -1, st.message);
    content_coding_write_reply(job);
}
