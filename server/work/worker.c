#include "server/work/worker.h"

#include <stddef.h>

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

static struct worker_task *task_of(struct queue_item *entry)
{
    return (struct worker_task *)(void *)((char *)entry -
                                          offsetof(struct worker_task, entry));
}

/* Worker thread. */
static bool run(struct queue_item *entry, uint64_t *rest_cost)
{
    struct job *job = &task_of(entry)->job;

    if (job_run(job, queue_lane_max((enum lane)entry->lane)))
        return true;
    *rest_cost = job_cost_ns(job);
    return false;
}

static void done(struct queue_item *entry) /* worker thread */
{
    worker_queue_end(task_of(entry), WORKER_EXECUTED);
}

static void refuse(struct queue_item *entry, uint64_t wait_ns)
{
    struct worker_task *task = task_of(entry); /* any thread */

    task->wait_ns = wait_ns;
    worker_queue_end(task, WORKER_SHED);
}

void worker_set_up(struct job_context *context)
{
    static const struct workers_calls calls = {run, done, refuse};
    const struct options *options = context->options;
    const struct queue_settings settings = {
        .max_waiting = (size_t)options->max_queue_size,
        .max_delay_ns = (uint64_t)options->max_queue_delay * 1000000,
        .workers = (int)options->worker_count,
    };

    workers_init(&context->workers, &settings, &calls);
}

/* A request that was admitted before its body was read may wait twice as long
 * now: its body has been paid for. */
static bool enqueue(struct worker_task *task)
{
    struct job *job = &task->job;
    enum queue_verdict verdict;
    uint64_t wait_ns;

    worker_queue_add(task);
    worker_end(task);
    task->entry.address = task->address;
    task->entry.cost = job_cost_ns(job);
    verdict = workers_push(&job->context->workers, &task->entry, task->admitted,
                           &wait_ns);
    if (verdict == QUEUE_OK)
        return true;
    worker_queue_remove(task);
    job_stop(job);
    job->model = task->model;
    worker_refuse(job, verdict, wait_ns);
    return false;
}

/* A single worker has the core that the loops have: then two switches of
 * threads buy nothing, and cost as much as to move a large tensor. */
static bool may_be_longer(const struct job *job)
{
    return job->context->options->worker_count == 1 &&
           api_only_moves(&job->request);
}

/* True if the job is so short that the loop executes it itself, as far as can
 * be said from its length. */
static bool is_short(const struct job *job)
{
    size_t limit = (size_t)job->context->options->inline_limit;

    return (job->request.body_len <= limit || may_be_longer(job)) &&
           job_cost_ns(job) <= inline_ns(job);
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
    enum queue_verdict verdict;
    uint64_t wait_ns;

    if (is_short(job))
        return true;
    task->entry.address = task->address;
    task->entry.cost = job_cost_ns(job);
    verdict = workers_admit(&job->context->workers, &task->entry, &wait_ns);
    task->admitted = verdict == QUEUE_OK;
    if (!task->admitted)
        worker_refuse(job, verdict, wait_ns);
    return task->admitted;
}

void worker_received(struct worker_task *task, size_t before, size_t now)
{
    if (task->admitted && before / PROGRESS_STEP < now / PROGRESS_STEP)
        workers_renew(&task->job.context->workers, &task->entry);
}

void worker_init(struct worker_task *task, struct job_context *context,
                 struct worker_queue *queue, const struct worker_waiter *waiter,
                 void *waiter_context)
{
    *task = (struct worker_task){
        .queue = queue, .waiter = waiter, .waiter_context = waiter_context};
    queue_item_init(&task->entry);
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
        workers_remove(&task->job.context->workers, &task->entry))
        worker_queue_end(task, WORKER_CANCELLED);
}
