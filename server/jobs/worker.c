#include "server/jobs/worker.h"

#include <stddef.h>
#include <stdio.h>

#include "server/clock/clock.h"
#include "server/shm/request_regions.h"

/* A loop may be busy with a request for this many nanoseconds for each byte of
 * inline-limit: as long as with so much JSON that becomes values. */
enum { INLINE_NS = 2 };

/* Bytes of a body that show that more will come soon. */
enum { PROGRESS_STEP = 64 << 10 };

static uint64_t inline_ns(const struct job *job)
{
    return INLINE_NS * (uint64_t)job->context->options->inline_limit;
}

static struct worker_task *task_of(struct schedule_entry *entry)
{
    return (struct worker_task *)(void *)((char *)entry -
                                          offsetof(struct worker_task, entry));
}

/* Worker thread. */
static bool run(struct schedule_entry *entry, uint64_t *rest_cost)
{
    struct job *job = &task_of(entry)->job;

    if (job_run(job, schedule_lane_max((enum schedule_lane)entry->lane)))
        return true;
    *rest_cost = job_cost_ns(job);
    return false;
}

/* Gives the task back to its loop. The signal is sent with the lock, so that
 * the loop, which may end after the last task, is still there. */
static void end(struct worker_task *task) /* any thread */
{
    struct worker_queue *queue = task->queue;

    pthread_mutex_lock(&queue->lock);
    STAILQ_INSERT_TAIL(&queue->ended, task, is_ended);
    uv_async_send(&queue->wake);
    pthread_mutex_unlock(&queue->lock);
}

static void done(struct schedule_entry *entry) /* worker thread */
{
    end(task_of(entry));
}

static void refuse(struct schedule_entry *entry, uint64_t wait_ns)
{
    struct worker_task *task = task_of(entry); /* any thread */

    task->fate = WORKER_SHED;
    task->wait_ns = wait_ns;
    end(task);
}

void worker_set_up(struct job_context *context)
{
    static const struct workers_calls calls = {run, done, refuse};
    const struct options *options = context->options;
    const struct schedule_settings settings = {
        .max_waiting = (size_t)options->max_queue_size,
        .max_delay_ns = (uint64_t)options->max_queue_delay * 1000000,
        .workers = (int)options->worker_count,
    };

    workers_init(&context->workers, &settings, &calls);
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

static void fail_full(struct job *job)
{
    job_fail(job, 503, METRICS_QUEUE_FULL,
             "too many requests wait for a worker (max-queue-size): "
             "try again");
}

/* A queue that stands may be shorter than the option says. */
static void fail_shed(struct job *job, uint64_t wait_ns)
{
    long long limit_ms = job->context->options->max_queue_delay;
    unsigned long long wait_ms = wait_ns / 1000000;
    char text[160];

    if (wait_ms < (unsigned long long)limit_ms)
        snprintf(text, sizeof(text),
                 "requests wait for workers all the time, for longer than "
                 "max-queue-delay, %lld ms: try again",
                 limit_ms);
    else
        snprintf(text, sizeof(text),
                 "the request would wait about %llu ms for a worker, but "
                 "max-queue-delay is %lld ms: try again",
                 wait_ms, limit_ms);
    job_fail(job, 503, METRICS_QUEUE_DELAY, text);
}

/* Makes the reply of a task that no worker has executed to its end. */
static void fail_ended(struct worker_task *task)
{
    struct job *job = &task->job;

    job_stop(job);
    job->model = task->model;
    switch (task->fate) {
    case WORKER_LATE:
        job_fail_late(job);
        break;
    case WORKER_SHED:
        fail_shed(job, task->wait_ns);
        break;
    case WORKER_CANCELLED:
        job_fail(job, 503, -1, "the service is stopping");
        break;
    case WORKER_EXECUTED:
        break;
    }
}

static void resume(struct worker_task *task)
{
    LIST_REMOVE(task, link);
    task->queued = false;
    count(task, -1);
    if (task->fate != WORKER_EXECUTED)
        fail_ended(task);
    task->waiter->resume(task->waiter_context);
}

static struct worker_task *pop_ended(struct worker_queue *queue)
{
    struct worker_task *task;

    pthread_mutex_lock(&queue->lock);
    task = STAILQ_FIRST(&queue->ended);
    if (task)
        STAILQ_REMOVE_HEAD(&queue->ended, is_ended);
    pthread_mutex_unlock(&queue->lock);
    return task;
}

static void on_wake(uv_async_t *wake)
{
    struct worker_task *task;

    while ((task = pop_ended(wake->data)))
        resume(task);
}

bool worker_queue_init(struct worker_queue *queue, uv_loop_t *uv,
                       struct metrics *metrics)
{
    *queue = (struct worker_queue){.metrics = metrics};
    LIST_INIT(&queue->tasks);
    STAILQ_INIT(&queue->ended);
    queue->wake.data = queue;
    return pthread_mutex_init(&queue->lock, NULL) == 0 &&
           uv_async_init(uv, &queue->wake, on_wake) == 0;
}

void worker_queue_free(struct worker_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
}

/* All that the loop has to know of the task while a worker has it: to be done
 * before. */
static void prepare(struct worker_task *task)
{
    struct job *job = &task->job;
    uint64_t limit_us =
        job->step < JOB_EXECUTE ? timeout_us(job) : job->plan.timeout_us;
    struct status st;

    if (job->request.route->id == API_ROUTE_INFER && !task->model)
        task->model =
            job->step < JOB_EXECUTE
                ? api_model_find(&job->request, job->request.route, &st)
                : job->plan.model;
    job->request.model = task->model;
    if (limit_us > 0)
        task->deadline_us = job->times.arrived / 1000 + limit_us;
    count(task, 1);
    LIST_INSERT_HEAD(&task->queue->tasks, task, link);
    task->queued = true;
}

static void unprepare(struct worker_task *task)
{
    LIST_REMOVE(task, link);
    task->queued = false;
    count(task, -1);
}

/* A request that was admitted before its body was read may wait twice as long
 * now: its body has been paid for. */
static bool enqueue(struct worker_task *task)
{
    struct job *job = &task->job;
    enum schedule_verdict verdict;
    uint64_t wait_ns;

    prepare(task);
    worker_end(task);
    task->entry.address = task->address;
    task->entry.cost = job_cost_ns(job);
    verdict = workers_push(&job->context->workers, &task->entry, task->admitted,
                           &wait_ns);
    if (verdict == SCHEDULE_OK)
        return true;
    unprepare(task);
    job_stop(job);
    job->model = task->model;
    if (verdict == SCHEDULE_FULL)
        fail_full(job);
    else
        fail_shed(job, wait_ns);
    return false;
}

/* True if the job is so short that the loop executes it itself, as far as can
 * be said from its length. */
static bool is_short(const struct job *job)
{
    size_t limit = (size_t)job->context->options->inline_limit;

    return job->request.body_len <= limit && job_cost_ns(job) <= inline_ns(job);
}

static bool may_use_much_memory(const struct job *job)
{
    return request_regions_may_be_large(
        &job->context->shm, job->body_coding ? NULL : &job->request,
        (size_t)job->context->options->inline_limit);
}

bool worker_admit(struct worker_task *task)
{
    struct job *job = &task->job;
    enum schedule_verdict verdict;
    uint64_t wait_ns;

    if (is_short(job))
        return true;
    task->entry.address = task->address;
    task->entry.cost = job_cost_ns(job);
    verdict = workers_admit(&job->context->workers, &task->entry, &wait_ns);
    if (verdict == SCHEDULE_FULL)
        fail_full(job);
    else if (verdict == SCHEDULE_LATE)
        fail_shed(job, wait_ns);
    task->admitted = verdict == SCHEDULE_OK;
    return task->admitted;
}

void worker_received(struct worker_task *task, size_t before, size_t now)
{
    if (task->admitted && before / PROGRESS_STEP < now / PROGRESS_STEP)
        workers_renew(&task->job.context->workers, &task->entry);
}

/* A task that a worker has just started is found late by job_run(). */
static void expire(struct worker_task *task)
{
    task->deadline_us = 0;
    if (workers_remove(&task->job.context->workers, &task->entry)) {
        task->fate = WORKER_LATE;
        end(task);
    }
}

void worker_queue_check(struct worker_queue *queue, struct job_context *context)
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
    workers_shed(&context->workers);
}

void worker_init(struct worker_task *task, struct job_context *context,
                 struct worker_queue *queue, const struct worker_waiter *waiter,
                 void *waiter_context)
{
    *task = (struct worker_task){
        .queue = queue, .waiter = waiter, .waiter_context = waiter_context};
    schedule_entry_init(&task->entry);
    job_init(&task->job, context);
}

void worker_end(struct worker_task *task)
{
    if (task->admitted)
        workers_forget(&task->job.context->workers, &task->entry);
}

bool worker_start(struct worker_task *task)
{
    struct job *job = &task->job;
    bool is_done = is_short(job) && !may_use_much_memory(job) &&
                   job_run(job, inline_ns(job));

    if (!is_done && enqueue(task)) {
        task->waiter->suspend(task->waiter_context);
        return true;
    }
    return task->waiter->send(task->waiter_context);
}

void worker_cancel(struct worker_task *task)
{
    atomic_store(&task->job.cancel, true);
    if (task->queued &&
        workers_remove(&task->job.context->workers, &task->entry)) {
        task->fate = WORKER_CANCELLED;
        end(task);
    }
}
