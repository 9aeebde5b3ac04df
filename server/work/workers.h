/* The threads that execute large requests, and the requests that wait for them
 * (server/work). One object for the process.
 *
 * Threads for longer work have a lower priority, so that on few cores short
 * work passes them. In Linux each thread has a nice value of its own, and an
 * ordinary process may only raise it: hence a kind of threads for each. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <uv.h>

#include "kernels/core/status.h"
#include "server/work/queue.h"

/* What is done with an entry that was pushed; each is called without the lock.
 * `run` returns false when the rest, whose cost it gives, belongs to another
 * lane. `done` or `refuse` is called once for an entry, by any thread. */
struct workers_calls {
    bool (*run)(struct queue_item *entry, uint64_t *rest_cost);
    void (*done)(struct queue_item *entry);
    void (*refuse)(struct queue_item *entry, uint64_t wait_ns);
};

struct workers;

struct workers_thread {
    struct workers *workers; /* borrowed */
    enum lane kind;
    uv_thread_t thread;
    pthread_cond_t wake;
    bool awake;                       /* is not, or no longer, in the list */
    atomic_bool is_alive;             /* has gone on since workers_ask() */
    SLIST_ENTRY(workers_thread) idle; /* of its kind */
};

struct workers {
    const struct workers_calls *calls;        /* borrowed */
    pthread_mutex_t lock;                     /* of the next four */
    SLIST_HEAD(, workers_thread) idle[LANES]; /* by kind */
    struct queue queue;
    size_t busy[LANES]; /* threads that run an entry, by kind */
    bool ending;
    struct workers_thread *threads; /* owned */
    int count;                      /* that were started */
};

/* Without threads: entries wait until workers_start(). Borrows the calls. */
void workers_init(struct workers *workers,
                  const struct queue_settings *settings,
                  const struct workers_calls *calls);

/* Starts all threads. Fails with NO_MEMORY, which says how many could be
 * started; workers_stop() is due in any case. */
bool workers_start(struct workers *workers, struct status *st);

/* Ends the threads and frees everything. Nothing may be pushed any more. */
void workers_stop(struct workers *workers);

/* Executes one entry that waits for a thread of this kind, on the calling
 * thread; false if none waits. */
bool workers_run_one(struct workers *workers, enum lane kind);

/* Whether the entry could wait, and how long it would; see queue_reserve().
 * Any thread, as all below. */
enum queue_verdict workers_admit(struct workers *workers,
                                 struct queue_item *entry, uint64_t *wait_ns);

/* See queue_renew(), for an entry that was admitted and not pushed yet. */
void workers_renew(struct workers *workers, struct queue_item *entry);

/* See queue_release(). */
void workers_forget(struct workers *workers, struct queue_item *entry);

/* Makes the entry wait, if it may: `paid` as for queue_check(). With any
 * verdict but QUEUE_OK it does not, and no call will be made for it. */
enum queue_verdict workers_push(struct workers *workers,
                                struct queue_item *entry, bool paid,
                                uint64_t *wait_ns);

/* Removes an entry that waits: no call will be made for it. False if it does
 * not wait. */
bool workers_remove(struct workers *workers, struct queue_item *entry);

/* Refuses the requests that have waited too long. To be called at short
 * intervals. */
void workers_shed(struct workers *workers);

/* Asks each thread for a sign of life: those that wait for work are woken,
 * those that execute an entry give one where they test its cancel flag. */
void workers_ask(struct workers *workers);

/* True if all threads have answered. */
bool workers_are_alive(const struct workers *workers);

/* Threads of each kind, and those of them that run an entry now. */
void workers_threads(struct workers *workers, size_t counts[LANES],
                     size_t busy[LANES]);

/* Requests waiting in each lane. */
void workers_waiting(struct workers *workers, size_t counts[LANES]);

/* For the files of this room, with the lock: wakes a thread for an entry of the
 * lane that was just pushed. */
void workers_wake(struct workers *workers, int lane);
