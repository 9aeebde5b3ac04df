#include "server/jobs/workers.h"

#include <stdlib.h>

#include "server/clock/clock.h"
#include "server/jobs/priority.h"

void workers_init(struct workers *workers,
                  const struct schedule_settings *settings,
                  const struct workers_calls *calls)
{
    *workers = (struct workers){.calls = calls};
    pthread_mutex_init(&workers->lock, NULL);
    for (int i = 0; i < SCHEDULE_LANES; i++)
        SLIST_INIT(&workers->idle[i]);
    schedule_init(&workers->schedule, settings);
}

static void wake(struct workers_thread *thread)
{
    SLIST_REMOVE_HEAD(&thread->workers->idle[thread->kind], idle);
    thread->awake = true;
    pthread_cond_signal(&thread->wake);
}

/* Wakes a thread for an entry of the lane that was just pushed. */
static void wake_for(struct workers *workers, int lane)
{
    enum schedule_kind kind =
        lane == SCHEDULE_LONG ? SCHEDULE_FOR_LONG : SCHEDULE_FOR_MEDIUM;

    if (lane == SCHEDULE_SHORT && SLIST_EMPTY(&workers->idle[kind]))
        kind = SCHEDULE_FOR_SHORT;
    if (!SLIST_EMPTY(&workers->idle[kind]))
        wake(SLIST_FIRST(&workers->idle[kind]));
}

static void sleep_until_woken(struct workers_thread *thread)
{
    struct workers *workers = thread->workers;

    thread->awake = false;
    SLIST_INSERT_HEAD(&workers->idle[thread->kind], thread, idle);
    while (!thread->awake)
        pthread_cond_wait(&thread->wake, &workers->lock);
}

/* The rest of an entry waits in its lane like any other of that cost, but twice
 * as long: work was done for it. */
static enum schedule_verdict push_again(struct workers *workers,
                                        struct schedule_entry *entry,
                                        enum schedule_kind kind, uint64_t cost,
                                        uint64_t *wait_ns)
{
    pthread_mutex_lock(&workers->lock);
    workers->busy[kind]--;
    schedule_pause(&workers->schedule, entry);
    pthread_mutex_unlock(&workers->lock);
    entry->cost = cost;
    return workers_push(workers, entry, true, wait_ns);
}

static void finish(struct workers *workers, struct schedule_entry *entry,
                   enum schedule_kind kind, uint64_t ns)
{
    pthread_mutex_lock(&workers->lock);
    workers->busy[kind]--;
    schedule_done(&workers->schedule, entry, ns);
    pthread_mutex_unlock(&workers->lock);
    workers->calls->done(entry);
}

static void execute(struct workers *workers, struct schedule_entry *entry,
                    enum schedule_kind kind)
{
    uint64_t began_ns = clock_now_ns(), rest_cost, wait_ns;

    if (workers->calls->run(entry, &rest_cost))
        finish(workers, entry, kind, clock_now_ns() - began_ns);
    else if (push_again(workers, entry, kind, rest_cost, &wait_ns) !=
             SCHEDULE_OK)
        workers->calls->refuse(entry, wait_ns);
}

bool workers_run_one(struct workers *workers, enum schedule_kind kind)
{
    struct schedule_entry *entry;

    pthread_mutex_lock(&workers->lock);
    entry = schedule_take(&workers->schedule, kind);
    workers->busy[kind] += entry != NULL;
    pthread_mutex_unlock(&workers->lock);
    if (!entry)
        return false;
    execute(workers, entry, kind);
    workers_shed(workers);
    return true;
}

/* Waits for work for the thread; false: it is to end. */
static bool await(struct workers_thread *thread)
{
    struct workers *workers = thread->workers;
    bool ending;

    pthread_mutex_lock(&workers->lock);
    while (!schedule_has_work(&workers->schedule, thread->kind) &&
           !workers->ending)
        sleep_until_woken(thread);
    ending = workers->ending;
    pthread_mutex_unlock(&workers->lock);
    return !ending;
}

static void run(void *context)
{
    struct workers_thread *thread = context;

    priority_lower(thread->kind);
    while (await(thread))
        while (workers_run_one(thread->workers, thread->kind))
            continue;
}

static int start(struct workers *workers, enum schedule_kind kind)
{
    struct workers_thread *thread = &workers->threads[workers->count];
    int error;

    *thread = (struct workers_thread){
        .workers = workers, .kind = kind, .awake = true};
    pthread_cond_init(&thread->wake, NULL);
    error = uv_thread_create(&thread->thread, run, thread);
    workers->count += error == 0;
    return error;
}

static enum schedule_kind kind_of(int index, int workers)
{
    if (index < workers)
        return SCHEDULE_FOR_MEDIUM;
    return index < 2 * workers ? SCHEDULE_FOR_LONG : SCHEDULE_FOR_SHORT;
}

bool workers_start(struct workers *workers, struct status *st)
{
    int count = workers->schedule.settings.workers;
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
    for (int i = 0; i < SCHEDULE_LANES; i++)
        while (!SLIST_EMPTY(&workers->idle[i]))
            wake(SLIST_FIRST(&workers->idle[i]));
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

enum schedule_verdict workers_admit(struct workers *workers,
                                    struct schedule_entry *entry,
                                    uint64_t *wait_ns)
{
    struct schedule *schedule = &workers->schedule;
    enum schedule_verdict verdict;

    pthread_mutex_lock(&workers->lock);
    *wait_ns = schedule_wait_ns(schedule, entry->address, entry->cost);
    verdict = schedule_admit(schedule, entry, clock_now_ns());
    pthread_mutex_unlock(&workers->lock);
    return verdict;
}

void workers_renew(struct workers *workers, struct schedule_entry *entry)
{
    pthread_mutex_lock(&workers->lock);
    schedule_renew(&workers->schedule, entry, clock_now_ns());
    pthread_mutex_unlock(&workers->lock);
}

void workers_forget(struct workers *workers, struct schedule_entry *entry)
{
    pthread_mutex_lock(&workers->lock);
    schedule_forget(&workers->schedule, entry);
    pthread_mutex_unlock(&workers->lock);
}

enum schedule_verdict workers_push(struct workers *workers,
                                   struct schedule_entry *entry, bool paid,
                                   uint64_t *wait_ns)
{
    struct schedule *schedule = &workers->schedule;
    enum schedule_verdict verdict;
    uint64_t now_ns;

    pthread_mutex_lock(&workers->lock);
    now_ns = clock_now_ns();
    *wait_ns = schedule_wait_ns(schedule, entry->address, entry->cost);
    verdict =
        schedule_check(schedule, entry->address, entry->cost, paid, now_ns);
    if (verdict == SCHEDULE_OK) {
        schedule_push(schedule, entry, now_ns);
        wake_for(workers, entry->lane);
    }
    pthread_mutex_unlock(&workers->lock);
    return verdict;
}

bool workers_remove(struct workers *workers, struct schedule_entry *entry)
{
    bool removed;

    pthread_mutex_lock(&workers->lock);
    removed = schedule_remove(&workers->schedule, entry);
    pthread_mutex_unlock(&workers->lock);
    return removed;
}

void workers_shed(struct workers *workers)
{
    struct schedule_entry *late;

    do {
        pthread_mutex_lock(&workers->lock);
        late = schedule_shed(&workers->schedule, clock_now_ns());
        pthread_mutex_unlock(&workers->lock);
        if (late)
            workers->calls->refuse(late, late->patience_ns);
    } while (late);
}

void workers_threads(struct workers *workers, size_t counts[SCHEDULE_LANES],
                     size_t busy[SCHEDULE_LANES])
{
    pthread_mutex_lock(&workers->lock);
    for (int i = 0; i < SCHEDULE_LANES; i++) {
        counts[i] = 0;
        busy[i] = workers->busy[i];
    }
    pthread_mutex_unlock(&workers->lock);
    for (int i = 0; i < workers->count; i++)
        counts[workers->threads[i].kind]++;
}

void workers_waiting(struct workers *workers, size_t counts[SCHEDULE_LANES])
{
    pthread_mutex_lock(&workers->lock);
    for (int i = 0; i < SCHEDULE_LANES; i++)
        counts[i] = workers->schedule.lanes[i].waiting.count;
    pthread_mutex_unlock(&workers->lock);
}
