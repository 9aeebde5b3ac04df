/* The threads themselves: how they start, wait for work, and end. */
#include <stdlib.h>

#include "kernels/core/cancel.h"
#include "server/work/priority.h"
#include "server/work/workers.h"

static void wake(struct workers_thread *thread)
{
    SLIST_REMOVE_HEAD(&thread->workers->idle[thread->kind], idle);
    thread->awake = true;
    pthread_cond_signal(&thread->wake);
}

void workers_wake(struct workers *workers, int lane)
{
    enum lane kind = lane == LANE_LONG ? LANE_LONG : LANE_MEDIUM;

    if (lane == LANE_SHORT && SLIST_EMPTY(&workers->idle[kind]))
        kind = LANE_SHORT;
    if (!SLIST_EMPTY(&workers->idle[kind]))
        wake(SLIST_FIRST(&workers->idle[kind]));
}

static void wake_all(struct workers *workers)
{
    for (int i = 0; i < LANES; i++)
        while (!SLIST_EMPTY(&workers->idle[i]))
            wake(SLIST_FIRST(&workers->idle[i]));
}

static void show_life(struct workers_thread *thread)
{
    atomic_store_explicit(&thread->is_alive, true, memory_order_relaxed);
}

/* Whoever falls asleep after workers_ask() has to answer it before. */
static void sleep_until_woken(struct workers_thread *thread)
{
    struct workers *workers = thread->workers;

    show_life(thread);
    thread->awake = false;
    SLIST_INSERT_HEAD(&workers->idle[thread->kind], thread, idle);
    while (!thread->awake)
        pthread_cond_wait(&thread->wake, &workers->lock);
    show_life(thread);
}

/* Waits for work for the thread; false: it is to end. */
static bool await(struct workers_thread *thread)
{
    struct workers *workers = thread->workers;
    bool ending;

    pthread_mutex_lock(&workers->lock);
    while (!queue_has_work(&workers->queue, thread->kind) && !workers->ending)
        sleep_until_woken(thread);
    ending = workers->ending;
    pthread_mutex_unlock(&workers->lock);
    return !ending;
}

static _Thread_local struct workers_thread *self;

static void on_cancel_test(void)
{
    show_life(self);
    priority_give_way();
}

static void run(void *context)
{
    struct workers_thread *thread = context;

    self = thread;
    priority_lower(thread->kind);
    cancel_pause = on_cancel_test;
    while (await(thread))
        while (workers_run_one(thread->workers, thread->kind))
            show_life(thread);
}

static int start(struct workers *workers, enum lane kind)
{
    struct workers_thread *thread = &workers->threads[workers->count];
    int error;

    *thread = (struct workers_thread){
        .workers = workers, .kind = kind, .awake = true, .is_alive = true};
    pthread_cond_init(&thread->wake, NULL);
    error = uv_thread_create(&thread->thread, run, thread);
    workers->count += error == 0;
    return error;
}

static enum lane kind_of(int index, int workers)
{
    if (index < workers)
        return LANE_MEDIUM;
    return index < 2 * workers ? LANE_LONG : LANE_SHORT;
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
        error = start(workers, kind_of(i, count));
    return error == 0 ||
           status_fail(st, STATUS_NO_MEMORY,
                       "can start %d of %d worker threads only "
                       "(worker-count is %d): %s",
                       workers->count, wanted, count, uv_strerror(error));
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

void workers_threads(struct workers *workers, size_t counts[LANES],
                     size_t busy[LANES])
{
    pthread_mutex_lock(&workers->lock);
    for (int i = 0; i < LANES; i++) {
        counts[i] = 0;
        busy[i] = workers->busy[i];
    }
    pthread_mutex_unlock(&workers->lock);
    for (int i = 0; i < workers->count; i++)
        counts[workers->threads[i].kind]++;
}
