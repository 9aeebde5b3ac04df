/* The steps of a job, from the whole body to the whole reply. */
#include <stdint.h>

#include "server/clock/clock.h"
#include "server/jobs/job.h"

static bool is_late(const struct job *job, uint64_t timeout_us)
{
    return timeout_us > 0 &&
           clock_now_us() - job->times.arrived / 1000 >= timeout_us;
}

/* The heap that api_prepare() asks for. */
struct heap {
    struct job *job;
    size_t taken;               /* bytes */
    size_t refused;             /* bytes of a lease that failed; 0: none */
    enum lease_verdict verdict; /* of that lease */
};

static bool take_heap(void *context, size_t bytes)
{
    struct heap *heap = context;

    heap->verdict = job_reserve(heap->job, bytes);
    if (heap->verdict == LEASE_OK)
        heap->taken += bytes;
    else
        heap->refused = bytes;
    return heap->verdict == LEASE_OK;
}

/* Leases the rest of the heap that the plan holds from now on. */
static bool take_rest(struct heap *heap)
{
    size_t held = heap->job->plan.heap_bytes;

    return held <= heap->taken || take_heap(heap, held - heap->taken);
}

static bool prepare_plan(struct job *job)
{
    struct heap heap = {.job = job};
    const struct api_heap ask = {take_heap, &heap};
    bool planned;

    job->request.heap = &ask;
    planned =
        api_prepare(&job->request, &job->plan, &job->reply) && take_rest(&heap);
    job->request.heap = NULL;
    if (!planned && heap.refused > 0)
        job_fail_reservation(job, heap.verdict, heap.refused, "the document");
    return planned;
}

static void prepare(struct job *job)
{
    bool planned;

    job->request.regions =
        request_regions_begin(&job->regions, &job->context->shm);
    planned = prepare_plan(job);
    job->model = job->plan.model;
    job->step = planned ? JOB_EXECUTE : JOB_DEFLATE;
}

static bool reserve(struct job *job, const struct api_plan *plan)
{
    enum lease_verdict verdict = job_reserve(job, plan->memory);

    if (verdict != LEASE_OK) {
        job_fail_reservation(job, verdict, plan->memory, "the answer");
        return false;
    }
    if (buffer_pool_get(&job->context->buffer_pool, plan->memory, &job->result))
        return true;
    job_fail_memory(job, "the answer");
    return false;
}

/* After JOB_PREPARE: the plan and the regions are not needed any more. */
static void release(struct job *job)
{
    struct status st;

    job->request.regions = NULL;
    api_plan_free(&job->plan);
    job->plan = (struct api_plan){.memory = 0};
    if (!request_regions_end(&job->regions, &st))
        job_fail(job, 400, -1, st.message);
    job->regions.shm = NULL;
}

static void execute(struct job *job)
{
    struct api_plan *plan = &job->plan;

    if (!reserve(job, plan))
        return;
    job->times.prepared = clock_now_ns();
    if (is_late(job, job_timeout_us(job, plan->timeout_us)))
        job_fail_late(job);
    else if (job_is_cancelled(job))
        job_fail(job, 503, -1, "the request was cancelled");
    else
        api_execute(plan, job->result.data, &job->cancel, &job->reply);
    job->times.executed = clock_now_ns();
}

static void begin(struct job *job)
{
    job->times.started = clock_now_ns();
    job->step = job->body_coding ? JOB_INFLATE : JOB_PREPARE;
}

static void inflate(struct job *job)
{
    bool whole;

    if (!coded_body_inflate_slice(job, &whole))
        job->step = JOB_DONE;
    else if (whole)
        job->step = JOB_PREPARE;
}

static void run_step(struct job *job)
{
    switch (job->step) {
    case JOB_BEGIN:
        begin(job);
        break;
    case JOB_INFLATE:
        inflate(job);
        break;
    case JOB_PREPARE:
        prepare(job);
        if (job->step == JOB_DEFLATE)
            release(job);
        break;
    case JOB_EXECUTE:
        execute(job);
        release(job);
        job->step = JOB_DEFLATE;
        break;
    case JOB_DEFLATE:
        coded_reply_deflate(job);
        job->step = JOB_DONE;
        break;
    case JOB_DONE:
        break;
    }
}

/* A job that waits again waits in the queue, whichever step comes next. */
static void end_pause(struct model_times *times)
{
    uint64_t *const moments[] = {&times->started, &times->prepared,
                                 &times->executed};
    uint64_t waited_ns;

    if (times->paused == 0)
        return;
    waited_ns = clock_now_ns() - times->paused;
    for (int i = 0; i < 3; i++)
        if (*moments[i] > 0)
            *moments[i] += waited_ns;
    times->paused = 0;
}

bool job_run(struct job *job, uint64_t limit_ns)
{
    end_pause(&job->times);
    request_regions_resume(&job->regions);
    do
        run_step(job);
    while (job->step != JOB_DONE && job_cost_ns(job) <= limit_ns);
    request_regions_pause(&job->regions);
    if (job->step != JOB_DONE)
        job->times.paused = clock_now_ns();
    return job->step == JOB_DONE;
}

void job_execute(struct job *job)
{
    job_run(job, UINT64_MAX);
}

void job_stop(struct job *job)
{
    end_pause(&job->times);
    coded_body_drop(job);
    if (job->step == JOB_EXECUTE)
        release(job);
    job->step = JOB_DONE;
}
