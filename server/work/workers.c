#include "server/work/workers.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "kernels/core/cancel.h"
#include "kernels/core/require.h"
#include "server/base/clock.h"
#include "server/shm/shm.h"
#include "server/work/context.h"

enum {
    /* Between two chances that a worker gives to others. */
    SLICE_NS = 200000,

    /* A loop may be busy with a request for this many nanoseconds for each byte
     * of inline-limit: as long as with so much JSON that becomes values. */
    INLINE_NS = 2,
};

/* Loops should run before workers: a loop runs for microseconds and many
 * clients wait for it, a worker for milliseconds. */
static const int nice_values[LANES] = {5, 5, 10};

struct worker_thread {
    struct workers *workers; /* borrowed */
    enum lane lane;
    uv_thread_t thread;
    pthread_cond_t wake;
    bool awake;                      /* is not, or no longer, in the list */
    atomic_bool is_alive;            /* has gone on since workers_ask() */
    SLIST_ENTRY(worker_thread) idle; /* of its lane */
};

static struct worker_task *task_of(struct queue_item *item)
{
    return (struct worker_task *)(void *)((char *)item -
                                          offsetof(struct worker_task, item));
}

/* The replies of requests that no worker executes to their end. All return
 * false. */

/* A queue that stands may be shorter than the option says. */
static bool fail_shed(struct job *job, uint64_t wait_ns)
{
    long long limit_ms = job->context->options->max_queue_delay;
    unsigned long long wait_ms = wait_ns / 1000000;

    if (wait_ms < (unsigned long long)limit_ms)
        return job_fail(job, 503, METRICS_QUEUE_DELAY,
                        "requests wait for workers all the time, for longer "
                        "than max-queue-delay, %lld ms: try again",
                        limit_ms);
    return job_fail(job, 503, METRICS_QUEUE_DELAY,
                    "the request would wait about %llu ms for a worker, but "
                    "max-queue-delay is %lld ms: try again",
                    wait_ms, limit_ms);
}

/* By a verdict other than QUEUE_OK. */
static bool fail_verdict(struct worker_task *task, enum queue_verdict verdict)
{
    if (verdict == QUEUE_LATE)
        return fail_shed(&task->job, task->item.wait_ns);
    return job_fail(&task->job, 503, METRICS_QUEUE_FULL,
                    "too many requests wait for a worker (max-queue-size): "
                    "try again");
}

/* Ends the job of a task that no worker will execute any more. The caller makes
 * the reply. */
static struct job *stop(struct worker_task *task)
{
    struct job *job = &task->job;

    job_stop(job);
    job->model = task->model;
    return job;
}

/* The tasks of a loop, from worker_start() to resume(). */

/* Adds `change` to the pending requests of the task's model. */
static void count_pending(struct worker_task *task, int change)
{
    if (task->model)
        model_counts_pending(
            &task->queue->metrics->models[api_model_slot(task->model)], change);
}

/* Finds all that the loop has to know of the task while a worker has it. */
static void add_to_loop(struct worker_task *task)
{
    struct job *job = &task->job;
    bool is_infer = job->request.route->id == API_ROUTE_INFER;
    bool is_prepared = job->step >= JOB_EXECUTE;
    uint64_t limit_us = job->plan.timeout_us;
    struct status st;

    REQUIRE(!task->queued);
    if (is_infer && !is_prepared && job->body_coding == CODING_IDENTITY)
        limit_us = api_timeout(&job->request);
    limit_us = job_timeout_us(job, limit_us);
    if (is_infer && !task->model)
        task->model = is_prepared ? job->plan.model
                                  : api_model_find(&job->request,
                                                   job->request.route, &st);
    job->request.model = task->model;
    if (limit_us > 0)
        task->deadline_us = job->times.arrived / 1000 + limit_us;
    count_pending(task, 1);
    LIST_INSERT_HEAD(&task->queue->tasks, task, link);
    task->queued = true;
}

static void remove_from_loop(struct worker_task *task)
{
    REQUIRE(task->queued);
    LIST_REMOVE(task, link);
    task->queued = false;
    count_pending(task, -1);
}

/* Gives the task, whose job has its reply, back to its loop. Any thread. The
 * signal is sent with the lock, so that the loop, which may end after the last
 * task, is still there. */
static void end_task(struct worker_task *task)
{
    struct worker_queue *queue = task->queue;
    struct model_times *times = &task->job.times;

    if (times->started == 0)
        times->started = clock_now_ns(); /* all its time was the queue's */
    REQUIRE(task->item.place == QUEUE_NONE);
    REQUIRE(task->job.step == JOB_DONE && task->job.reply.status != 0);
    pthread_mutex_lock(&queue->lock);
    STAILQ_INSERT_TAIL(&queue->ended, task, is_ended);
    uv_async_send(&queue->wake);
    pthread_mutex_unlock(&queue->lock);
}

static void on_wake(uv_async_t *wake)
{
    struct worker_queue *queue = wake->data;
    struct worker_ended ended = STAILQ_HEAD_INITIALIZER(ended);
    struct worker_task *task;

    pthread_mutex_lock(&queue->lock);
    STAILQ_CONCAT(&ended, &queue->ended);
    pthread_mutex_unlock(&queue->lock);
    while ((task = STAILQ_FIRST(&ended))) {
        STAILQ_REMOVE_HEAD(&ended, is_ended);
        remove_from_loop(task);
        task->waiter->resume(task->waiter_context);
    }
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

/* The queue, with its lock. */

static void wake(struct worker_thread *thread)
{
    REQUIRE(!thread->awake);
    SLIST_REMOVE_HEAD(&thread->workers->idle[thread->lane], idle);
    thread->awake = true;
    pthread_cond_signal(&thread->wake);
}

/* Makes the task wait, if it may, and wakes a thread for it. The lock is
 * held. */
static enum queue_verdict push(struct workers *workers,
                               struct worker_task *task, bool begun)
{
    struct queue_item *item = &task->item;
    uint64_t now_ns = clock_now_ns();
    enum queue_verdict verdict;
    enum lane lane;

    verdict = queue_check(&workers->queue, item, begun, now_ns);
    if (verdict != QUEUE_OK)
        return verdict;
    queue_push(&workers->queue, item, now_ns);
    lane = item->lane == LANE_LONG ? LANE_LONG : LANE_MEDIUM;
    if (item->lane == LANE_SHORT && SLIST_EMPTY(&workers->idle[lane]))
        lane = LANE_SHORT;
    if (!SLIST_EMPTY(&workers->idle[lane]))
        wake(SLIST_FIRST(&workers->idle[lane]));
    return QUEUE_OK;
}

/* Removes a task that waits; false if it does not. */
static bool remove_task(struct worker_task *task)
{
    struct workers *workers = task->job.context->workers;
    bool removed;

    pthread_mutex_lock(&workers->lock);
    removed = queue_remove(&workers->queue, &task->item);
    pthread_mutex_unlock(&workers->lock);
    return removed;
}

/* Refuses the requests that have waited too long. */
static void shed(struct workers *workers)
{
    struct queue_item *late;

    do {
        pthread_mutex_lock(&workers->lock);
        late = queue_shed(&workers->queue, clock_now_ns());
        pthread_mutex_unlock(&workers->lock);
        if (!late)
            continue;
        fail_shed(stop(task_of(late)), late->limit_ns);
        end_task(task_of(late));
    } while (late);
}

void worker_queue_check(struct worker_queue *queue, struct job_context *context)
{
    uint64_t now_us = clock_now_us();
    struct worker_task *each;

    LIST_FOREACH(each, &queue->tasks, link)
    {
        if (each->deadline_us > 0 && each->deadline_us <= now_us) {
            each->deadline_us = 0;
            if (remove_task(each)) { /* else job_run() finds it late */
                job_fail_late(stop(each));
                end_task(each);
            }
        }
        if (each->waiter->gone(each->waiter_context))
            atomic_store(&each->job.cancel, true);
    }
    shed(context->workers);
}

/* Threads. */

/* The rest of a job waits in the lane of its cost, but twice as long as others
 * may: work was done for it. */
static void execute(struct workers *workers, struct worker_task *task,
                    enum lane lane)
{
    struct job *job = &task->job;
    uint64_t began_ns = clock_now_ns(), ns, cost;
    bool is_done = job_run(job, queue_lane_max(task->item.lane));
    enum queue_verdict verdict = QUEUE_OK;

    ns = clock_now_ns() - began_ns;
    cost = job_cost_ns(job);
    pthread_mutex_lock(&workers->lock);
    REQUIRE(workers->busy[lane] > 0);
    workers->busy[lane]--;
    if (is_done) {
        queue_done(&workers->queue, &task->item, ns);
    } else {
        queue_pause(&workers->queue, &task->item);
        task->item.cost = cost;
        verdict = push(workers, task, true);
    }
    pthread_mutex_unlock(&workers->lock);
    if (!is_done && verdict == QUEUE_OK)
        return;
    if (!is_done) {
        stop(task);
        fail_verdict(task, verdict);
    }
    end_task(task);
}

bool workers_run_one(struct workers *workers, enum lane lane)
{
    struct queue_item *item;

    pthread_mutex_lock(&workers->lock);
    item = queue_take(&workers->queue, lane);
    workers->busy[lane] += item != NULL;
    pthread_mutex_unlock(&workers->lock);
    if (!item)
        return false;
    execute(workers, task_of(item), lane);
    shed(workers);
    return true;
}

static void show_life(struct worker_thread *thread)
{
    atomic_store_explicit(&thread->is_alive, true, memory_order_relaxed);
}

/* A thread that falls asleep after workers_ask() answers it first. */
static void sleep_until_woken(struct worker_thread *thread)
{
    struct workers *workers = thread->workers;

    show_life(thread);
    thread->awake = false;
    SLIST_INSERT_HEAD(&workers->idle[thread->lane], thread, idle);
    while (!thread->awake)
        pthread_cond_wait(&thread->wake, &workers->lock);
    show_life(thread);
}

/* Waits for work for the thread; false: it is to end. */
static bool await(struct worker_thread *thread)
{
    struct workers *workers = thread->workers;
    bool ending;

    pthread_mutex_lock(&workers->lock);
    while (!queue_has_work(&workers->queue, thread->lane) && !workers->ending)
        sleep_until_woken(thread);
    ending = workers->ending;
    pthread_mutex_unlock(&workers->lock);
    return !ending;
}

static _Thread_local struct worker_thread *self;

/* A nice value only divides the time. A thread that wakes on a worker's
 * processor may still wait for the end of the worker's slice, some
 * milliseconds. SLICE_NS is too short to matter. */
static void on_cancel_test(void)
{
    static _Thread_local uint64_t since_ns;

    show_life(self);
    if (clock_now_ns() - since_ns < SLICE_NS)
        return;
    sched_yield();
    since_ns = clock_now_ns();
}

static void run(void *context)
{
    struct worker_thread *thread = context;

    self = thread;
    setpriority(PRIO_PROCESS, 0 /* this thread */, nice_values[thread->lane]);
    cancel_pause = on_cancel_test;
    while (await(thread))
        while (workers_run_one(thread->workers, thread->lane))
            show_life(thread);
}

void workers_init(struct workers *workers, struct job_context *context)
{
    const struct options *options = context->options;
    const struct queue_settings settings = {
        .max_waiting = (size_t)options->max_queue_size,
        .max_delay_ns = (uint64_t)options->max_queue_delay * 1000000,
        .workers = (int)options->worker_count,
    };

    *workers = (struct workers){.count = 0};
    pthread_mutex_init(&workers->lock, NULL);
    for (int i = 0; i < LANES; i++)
        SLIST_INIT(&workers->idle[i]);
    queue_init(&workers->queue, &settings);
    context->workers = workers;
}

/* The first threads are for medium requests, as many for long ones. */
static int start(struct workers *workers)
{
    struct worker_thread *thread = &workers->threads[workers->count];
    int each = workers->queue.settings.workers, error;
    enum lane lane = LANE_SHORT;

    if (workers->count < 2 * each)
        lane = workers->count < each ? LANE_MEDIUM : LANE_LONG;
    *thread = (struct worker_thread){
        .workers = workers, .lane = lane, .awake = true, .is_alive = true};
    pthread_cond_init(&thread->wake, NULL);
    error = uv_thread_create(&thread->thread, run, thread);
    workers->count += error == 0;
    return error;
}

bool workers_start(struct workers *workers, struct status *st)
{
    int count = workers->queue.settings.workers;
    int wanted = 2 * count + 1, error = 0;

    workers->threads = calloc((size_t)wanted, sizeof(workers->threads[0]));
    if (!workers->threads)
        return status_fail(st, STATUS_NO_MEMORY, "no memory for %d workers",
                           wanted);
    for (int i = 0; i < wanted && error == 0; i++)
        error = start(workers);
    return error == 0 ||
           status_fail(st, STATUS_NO_MEMORY,
                       "can start %d of %d worker threads only "
                       "(worker-count is %d): %s",
                       workers->count, wanted, count, uv_strerror(error));
}

/* The lock is held. */
static void wake_all(struct workers *workers)
{
    for (int i = 0; i < LANES; i++)
        while (!SLIST_EMPTY(&workers->idle[i]))
            wake(SLIST_FIRST(&workers->idle[i]));
}

void workers_stop(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->ending = true;
    wake_all(workers);
    pthread_mutex_unlock(&workers->lock);
    for (int i = 0; i < workers->count; i++) {
        uv_thread_join(&workers->threads[i].thread);
        pthread_cond_destroy(&workers->threads[i].wake);
    }
    free(workers->threads);
    workers->threads = NULL;
    workers->count = 0;
    pthread_mutex_destroy(&workers->lock);
}

void workers_ask(struct workers *workers)
{
    for (int i = 0; i < workers->count; i++)
        atomic_store(&workers->threads[i].is_alive, false);
    pthread_mutex_lock(&workers->lock);
    wake_all(workers);
    pthread_mutex_unlock(&workers->lock);
}

bool workers_are_alive(const struct workers *workers)
{
    for (int i = 0; i < workers->count; i++)
        if (!atomic_load(&workers->threads[i].is_alive))
            return false;
    return true;
}

void workers_gauges(struct workers *workers, size_t waiting[LANES],
                    size_t busy[LANES])
{
    pthread_mutex_lock(&workers->lock);
    for (int i = 0; i < LANES; i++) {
        waiting[i] = workers->queue.lanes[i].count;
        busy[i] = workers->busy[i];
    }
    pthread_mutex_unlock(&workers->lock);
}

/* A request, by its loop. */

static uint64_t inline_ns(const struct job *job)
{
    return INLINE_NS * (uint64_t)job->context->options->inline_limit;
}

/* True if the job is so short that the loop executes it itself, as far as can
 * be said from its length. A single worker has the core that the loops have:
 * then two switches of threads buy nothing, and cost as much as to move a large
 * tensor. */
static bool is_short(const struct job *job)
{
    const struct options *options = job->context->options;

    return (job->request.body_len <= (size_t)options->inline_limit ||
            (options->worker_count == 1 && api_only_moves(&job->request))) &&
           job_cost_ns(job) <= inline_ns(job);
}

void worker_init(struct worker_task *task, struct job_context *context,
                 struct worker_queue *queue, const struct worker_waiter *waiter,
                 void *waiter_context)
{
    *task = (struct worker_task){
        .queue = queue, .waiter = waiter, .waiter_context = waiter_context};
    job_init(&task->job, context);
}

bool worker_admit(struct worker_task *task)
{
    struct job *job = &task->job;
    struct workers *workers = job->context->workers;
    struct queue_item *item = &task->item;
    enum queue_verdict verdict;

    if (is_short(job))
        return true;
    item->cost = job_cost_ns(job);
    pthread_mutex_lock(&workers->lock);
    verdict = queue_check(&workers->queue, item, false, clock_now_ns());
    pthread_mutex_unlock(&workers->lock);
    task->admitted = verdict == QUEUE_OK || fail_verdict(task, verdict);
    return task->admitted;
}

/* A request that was admitted before its body was read may wait twice as long
 * now: its body has been received. */
static bool enqueue(struct worker_task *task)
{
    struct job *job = &task->job;
    struct workers *workers = job->context->workers;
    enum queue_verdict verdict;

    add_to_loop(task);
    pthread_mutex_lock(&workers->lock);
    task->item.cost = job_cost_ns(job);
    verdict = push(workers, task, task->admitted);
    pthread_mutex_unlock(&workers->lock);
    if (verdict == QUEUE_OK)
        return true;
    remove_from_loop(task);
    stop(task);
    return fail_verdict(task, verdict);
}

bool worker_start(struct worker_task *task)
{
    struct job *job = &task->job;
    bool is_done =
        is_short(job) &&
        !shm_may_be_large(&job->context->shm,
                          job->body_coding ? NULL : &job->request,
                          (size_t)job->context->options->inline_limit) &&
        job_run(job, inline_ns(job));

    return !is_done && enqueue(task);
}

void worker_cancel(struct worker_task *task)
{
    atomic_store(&task->job.cancel, true);
    if (!task->queued || !remove_task(task))
        return;
    job_fail(stop(task), 503, -1, "the service is stopping");
    end_task(task);
}
