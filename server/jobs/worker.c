#include "server/jobs/worker.h"

#include <stddef.h>
#include <sys/resource.h>

#include "server/jobs/clock.h"
#include "server/shm/request_regions.h"

enum {
    WORKER_NICE = 5,
    /* A compressed body counts as this many times its bytes, because inflating
     * and deflating take longer than moving, and some KiB may become some
     * MiB. */
    CODING_COST = 64,
};

static struct worker_task *task_of(uv_work_t *work)
{
    return work->data;
}

/* With fewer cores than threads, loops should run before workers: a loop runs
 * for microseconds and many clients wait for it, a worker for milliseconds. In
 * Linux each thread has a nice value; the 0 is the calling thread. */
static void lower_priority(void)
{
    static _Thread_local bool done;

    if (!done)
        setpriority(PRIO_PROCESS, 0, WORKER_NICE);
    done = true;
}

static void run(uv_work_t *work) /* worker thread */
{
    struct job *job = &task_of(work)->job;

    lower_priority();
    admission_dequeue(&job->context->admission);
    job_execute(job);
}

/* The timeout of an inference request whose body can be read; 0: none. */
static uint64_t timeout_us(const struct job *job)
{
    if (job->request.route->id != API_ROUTE_INFER ||
        job->body_coding != CODING_IDENTITY)
        return 0;
    return api_timeout(&job->request);
}

/* Adds `change` to the pending requests of the task's model. */
static void count(struct worker_task *task, int change)
{
    if (task->model)
        model_counts_pending(
            &task->queue->metrics->models[api_model_slot(task->model)], change);
}

/* Makes the reply of a task that was removed from the queue. */
static void fail_removed(struct worker_task *task)
{
    struct job *job = &task->job;

    admission_dequeue(&job->context->admission);
    job->model = task->model;
    if (task->late)
        job_fail_late(job);
    else
        job_fail(job, 503, -1, "the service is stopping");
}

static void on_done(uv_work_t *work, int failed)
{
    struct worker_task *task = task_of(work);

    LIST_REMOVE(task, link);
    task->queued = false;
    count(task, -1);
    if (failed)
        fail_removed(task);
    task->waiter->resume(task->waiter_context);
}

static bool enqueue(struct worker_task *task)
{
    struct job *job = &task->job;
    uint64_t limit_us = timeout_us(job); /* before a worker has the request */
    struct status st;

    if (!admission_enqueue(&job->context->admission)) {
        job_fail(job, 503, METRICS_QUEUE_FULL,
                 "too many requests wait for a worker (max-queue-size): "
                 "try again");
        return false;
    }
    if (job->request.route->id == API_ROUTE_INFER)
        task->model = api_model_find(&job->request, job->request.route, &st);
    job->request.model = task->model;
    if (limit_us > 0)
        task->deadline_us = job->times.arrived / 1000 + limit_us;
    count(task, 1);
    LIST_INSERT_HEAD(&task->queue->tasks, task, link);
    task->queued = true;
    task->work.data = task;
    uv_queue_work(task->queue->uv, &task->work, run, on_done);
    return true;
}

/* True if the job is so short that the loop executes it itself. */
static bool is_short(const struct job *job)
{
    const struct api_request *request = &job->request;
    size_t limit = (size_t)job->context->options->inline_limit;
    bool coded = job->body_coding || job->reply_coding;

    return request->body_len <= (coded ? limit / CODING_COST : limit) &&
           !request_regions_may_be_large(
               &job->context->shm, job->body_coding ? NULL : request, limit);
}

/* A task that a worker has just started is found late by job_execute(). */
static void expire(struct worker_task *task)
{
    task->deadline_us = 0;
    task->late = uv_cancel((uv_req_t *)&task->work) == 0;
}

void worker_queue_check(struct worker_queue *queue)
{
    uint64_t now_us = clock_now_us();
    struct worker_task *each;

    LIST_FOREACH(each, &queue->tasks, link)
    {
        if (each->deadline_us > 0 && each->deadline_us <= now_us)
            expire(each);
        if (each->waiter->gone(each->waiter_context))
            atomic_store(&each->job.cancel, true);
    }
}

void worker_init(struct worker_task *task, struct job_context *context,
                 struct worker_queue *queue, const struct worker_waiter *waiter,
                 void *waiter_context)
{
    *task = (struct worker_task){
        .queue = queue, .waiter = waiter, .waiter_context = waiter_context};
    job_init(&task->job, context);
}

bool worker_start(struct worker_task *task)
{
    struct job *job = &task->job;

    if (is_short(job)) {
        job_execute(job);
    } else if (enqueue(task)) {
        task->waiter->suspend(task->waiter_context);
        return true;
    }
    return task->waiter->send(task->waiter_context);
}

void worker_cancel(struct worker_task *task)
{
    atomic_store(&task->job.cancel, true);
    if (task->queued)
        uv_cancel((uv_req_t *)&task->work);
}
