#include "server/jobs/worker.h"

#include <stddef.h>
#include <sys/resource.h>

#include "server/jobs/clock.h"
#include "server/jobs/job_execute.h"
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

static void link_to(struct worker_queue *queue, struct worker_task *task)
{
    task->prev = NULL;
    task->next = queue->first;
    if (task->next)
        task->next->prev = task;
    queue->first = task;
    task->queued = true;
}

static void unlink_from(struct worker_queue *queue, struct worker_task *task)
{
    if (task->prev)
        task->prev->next = task->next;
    else
        queue->first = task->next;
    if (task->next)
        task->next->prev = task->prev;
    task->queued = false;
}

/* A task that a worker has just started is found late by job_execute(). */
static void expire(struct worker_task *task)
{
    task->deadline_us = 0;
    task->late = uv_cancel((uv_req_t *)&task->work) == 0;
}

static void on_timer(uv_timer_t *timer);

/* libuv counts from the time that it read last, so that is read again first. */
static void arm(struct worker_queue *queue, uint64_t now_us, uint64_t at_us)
{
    uint64_t wait_ms = at_us > now_us ? (at_us - now_us + 999) / 1000 : 0;

    uv_update_time(queue->uv);
    uv_timer_start(&queue->timer, on_timer, wait_ms, 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct worker_queue *queue = timer->data;
    uint64_t now_us = clock_now_us(), nearest_us = UINT64_MAX;

    for (struct worker_task *each = queue->first; each; each = each->next) {
        if (each->deadline_us == 0)
            continue;
        if (each->deadline_us <= now_us)
            expire(each);
        else if (each->deadline_us < nearest_us)
            nearest_us = each->deadline_us;
    }
    if (nearest_us < UINT64_MAX)
        arm(queue, now_us, nearest_us);
}

/* The timeout of an inference request whose body can be read; 0: none. */
static uint64_t timeout_us(const struct job *job)
{
    if (job->request.route->id != API_ROUTE_INFER ||
        job->body_coding != CODING_IDENTITY)
        return 0;
    return api_timeout(&job->request);
}

static void watch_deadline(struct worker_task *task)
{
    struct worker_queue *queue = task->queue;
    uint64_t limit_us = timeout_us(&task->job), now_us;

    if (limit_us == 0)
        return;
    now_us = clock_now_us();
    task->deadline_us = task->job.times.arrived / 1000 + limit_us;
    if (!uv_is_active((uv_handle_t *)&queue->timer) ||
        task->deadline_us < now_us + uv_timer_get_due_in(&queue->timer) * 1000)
        arm(queue, now_us, task->deadline_us);
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

    unlink_from(task->queue, task);
    count(task, -1);
    if (failed)
        fail_removed(task);
    task->waiter->resume(task->waiter_context);
}

static bool enqueue(struct worker_task *task)
{
    struct job *job = &task->job;
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
    count(task, 1);
    link_to(task->queue, task);
    watch_deadline(task); /* reads the request, so before a worker does */
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

void worker_queue_init(struct worker_queue *queue, uv_loop_t *uv,
                       struct metrics *metrics)
{
    *queue = (struct worker_queue){.uv = uv, .metrics = metrics};
    uv_timer_init(uv, &queue->timer);
    queue->timer.data = queue;
}

void worker_queue_check(struct worker_queue *queue)
{
    for (struct worker_task *each = queue->first; each; each = each->next)
        if (each->waiter->gone(each->waiter_context))
            atomic_store(&each->job.cancel, true);
}

void worker_init(struct worker_task *task, const struct worker_setup *setup)
{
    *task = (struct worker_task){.queue = setup->queue,
                                 .waiter = setup->waiter,
                                 .waiter_context = setup->waiter_context};
    job_init(&task->job, setup->context);
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
