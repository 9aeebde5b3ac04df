#include "server/work/workers.h"

#include "server/clock/clock.h"

void workers_init(struct workers *workers,
                  const struct queue_settings *settings,
                  const struct workers_calls *calls)
{
    *workers = (struct workers){.calls = calls};
    pthread_mutex_init(&workers->lock, NULL);
    for (int i = 0; i < LANES; i++)
        SLIST_INIT(&workers->idle[i]);
    queue_init(&workers->queue, settings);
}

/* The rest of an entry waits in its lane like any other of that cost, but twice
 * as long: work was done for it. */
static enum queue_verdict push_again(struct workers *workers,
                                     struct queue_item *entry, enum lane kind,
                                     uint64_t cost, uint64_t *wait_ns)
{
    pthread_mutex_lock(&workers->lock);
    workers->busy[kind]--;
    queue_pause(&workers->queue, entry);
    pthread_mutex_unlock(&workers->lock);
    entry->cost = cost;
    return workers_push(workers, entry, true, wait_ns);
}

static void finish(struct workers *workers, struct queue_item *entry,
                   enum lane kind, uint64_t ns)
{
    pthread_mutex_lock(&workers->lock);
    workers->busy[kind]--;
    queue_done(&workers->queue, entry, ns);
    pthread_mutex_unlock(&workers->lock);
    workers->calls->done(entry);
}

static void execute(struct workers *workers, struct queue_item *entry,
                    enum lane kind)
{
    uint64_t began_ns = clock_now_ns(), rest_cost, wait_ns;

    if (workers->calls->run(entry, &rest_cost))
        finish(workers, entry, kind, clock_now_ns() - began_ns);
    else if (push_again(workers, entry, kind, rest_cost, &wait_ns) != QUEUE_OK)
        workers->calls->refuse(entry, wait_ns);
}

bool workers_run_one(struct workers *workers, enum lane kind)
{
    struct queue_item *entry;

    pthread_mutex_lock(&workers->lock);
    entry = queue_take(&workers->queue, kind);
    workers->busy[kind] += entry != NULL;
    pthread_mutex_unlock(&workers->lock);
    if (!entry)
        return false;
    execute(workers, entry, kind);
    workers_shed(workers);
    return true;
}

enum queue_verdict workers_admit(struct workers *workers,
                                 struct queue_item *entry, uint64_t *wait_ns)
{
    struct queue *queue = &workers->queue;
    enum queue_verdict verdict;

    pthread_mutex_lock(&workers->lock);
    *wait_ns = queue_wait_ns(queue, entry->address, entry->cost);
    verdict = queue_reserve(queue, entry, clock_now_ns());
    pthread_mutex_unlock(&workers->lock);
    return verdict;
}

void workers_renew(struct workers *workers, struct queue_item *entry)
{
    pthread_mutex_lock(&workers->lock);
    queue_renew(&workers->queue, entry, clock_now_ns());
    pthread_mutex_unlock(&workers->lock);
}

void workers_forget(struct workers *workers, struct queue_item *entry)
{
    pthread_mutex_lock(&workers->lock);
    queue_release(&workers->queue, entry);
    pthread_mutex_unlock(&workers->lock);
}

enum queue_verdict workers_push(struct workers *workers,
                                struct queue_item *entry, bool paid,
                                uint64_t *wait_ns)
{
    struct queue *queue = &workers->queue;
    enum queue_verdict verdict;
    uint64_t now_ns;

    pthread_mutex_lock(&workers->lock);
    now_ns = clock_now_ns();
    *wait_ns = queue_wait_ns(queue, entry->address, entry->cost);
    verdict = queue_check(queue, entry->address, entry->cost, paid, now_ns);
    if (verdict == QUEUE_OK) {
        queue_push(queue, entry, now_ns);
        workers_wake(workers, entry->lane);
    }
    pthread_mutex_unlock(&workers->lock);
    return verdict;
}

bool workers_remove(struct workers *workers, struct queue_item *entry)
{
    bool removed;

    pthread_mutex_lock(&workers->lock);
    removed = queue_remove(&workers->queue, entry);
    pthread_mutex_unlock(&workers->lock);
    return removed;
}

void workers_shed(struct workers *workers)
{
    struct queue_item *late;

    do {
        pthread_mutex_lock(&workers->lock);
        late = queue_shed(&workers->queue, clock_now_ns());
        pthread_mutex_unlock(&workers->lock);
        if (late)
            workers->calls->refuse(late, late->limit_ns);
    } while (late);
}

void workers_waiting(struct workers *workers, size_t counts[LANES])
{
    pthread_mutex_lock(&workers->lock);
    for (int i = 0; i < LANES; i++)
        counts[i] = workers->queue.lanes[i].count;
    pthread_mutex_unlock(&workers->lock);
}
