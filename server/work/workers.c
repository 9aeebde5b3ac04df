#include "server/work/workers.h"

#include "server/clock/clock.h"

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
        workers_wake(workers, entry->lane);
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

void workers_waiting(struct workers *workers, size_t counts[SCHEDULE_LANES])
{
    pthread_mutex_lock(&workers->lock);
    for (int i = 0; i < SCHEDULE_LANES; i++)
        counts[i] = workers->schedule.lanes[i].waiting.count;
    pthread_mutex_unlock(&workers->lock);
}
