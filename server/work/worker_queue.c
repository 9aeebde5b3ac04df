/* The tasks of one loop that it has given to the workers, until it has them
 * back. */
#include "server/clock/clock.h"
#include "server/work/worker.h"

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

void worker_queue_add(struct worker_task *task)
{
    struct job *job = &task->job;
    uint64_t limit_us = job_timeout_us(
        job, job->step < JOB_EXECUTE ? timeout_us(job) : job->plan.timeout_us);
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

void worker_queue_remove(struct worker_task *task)
{
    LIST_REMOVE(task, link);
    task->queued = false;
    count(task, -1);
}

/* The signal is sent with the lock, so that the loop, which may end after the
 * last task, is still there. */
void worker_queue_end(struct worker_task *task, enum worker_fate fate)
{
    struct worker_queue *queue = task->queue;

    task->fate = fate;
    pthread_mutex_lock(&queue->lock);
    STAILQ_INSERT_TAIL(&queue->ended, task, is_ended);
    uv_async_send(&queue->wake);
    pthread_mutex_unlock(&queue->lock);
}

static void resume(struct worker_task *task)
{
    worker_queue_remove(task);
    if (task->fate != WORKER_EXECUTED)
        worker_refuse_ended(task);
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

/* A task that a worker has just started is found late by job_run(). */
static void expire(struct worker_task *task)
{
    task->deadline_us = 0;
    if (workers_remove(&task->job.context->workers, &task->entry))
        worker_queue_end(task, WORKER_LATE);
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
