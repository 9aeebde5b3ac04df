/* The threads that execute large requests, one object for the process, and the
 * requests that the loops give them. Knows no transport: it calls the functions
 * of a struct worker_waiter, which a transport provides.
 *
 * Threads for longer work have a lower priority, so that on few cores short
 * work passes them. In Linux each thread has a nice value of its own, and an
 * ordinary process may only raise it: hence threads for each lane (queue.h).
 *
 * The functions worker_...() are for the thread of the request's loop, the
 * functions workers_...() for any. While a worker executes a job, only the
 * worker may use it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "kernels/core/status.h"
#include "server/work/job.h"
#include "server/work/queue.h"

struct worker_thread;

struct workers {
    pthread_mutex_t lock;                    /* of the next four */
    SLIST_HEAD(, worker_thread) idle[LANES]; /* by their lane */
    struct queue queue;
    size_t busy[LANES]; /* threads that execute a job, by their lane */
    bool ending;
    struct worker_thread *threads; /* owned */
    int count;                     /* that were started */
};

/* A transport's side of a task. Called on the loop's thread, with the context
 * that worker_init() was given. */
struct worker_waiter {
    /* The reply of a task that a worker had is ready to be sent. */
    void (*resume)(void *context);

    /* True if the client has closed the connection: its job is then cancelled.
     * worker_queue_check() calls it for tasks that wait or run. */
    bool (*gone)(void *context);
};

/* The tasks of one loop that wait for a worker or are run by one. */
struct worker_queue {
    struct metrics *metrics; /* borrowed; counts the tasks of each model, and
                              * is written by the loop's thread */
    LIST_HEAD(, worker_task) tasks; /* borrowed */

    uv_async_t wake;      /* there are tasks in `ended` */
    pthread_mutex_t lock; /* of `ended` */
    STAILQ_HEAD(worker_ended, worker_task) ended; /* borrowed; of any thread */
};

/* One request's task. The caller fills in the job and item.address; the other
 * members are private. */
struct worker_task {
    struct job job;
    struct worker_queue *queue;         /* borrowed, as the next two */
    const struct worker_waiter *waiter; /* a table */
    void *waiter_context;
    struct queue_item item;
    LIST_ENTRY(worker_task) link;       /* of the loop, while it is queued */
    STAILQ_ENTRY(worker_task) is_ended; /* of the loop's `ended` */
    const struct model
        *model;           /* whose pending count includes the task, or NULL */
    uint64_t deadline_us; /* by clock_now_us(); 0: none, or passed */
    bool admitted;        /* by worker_admit() */
    bool queued;
};

/* Initialises the workers of the context, as its options say; both borrow each
 * other. Tasks wait until workers_start(). */
void workers_init(struct workers *workers, struct job_context *context);

/* Starts all threads. Fails with NO_MEMORY, which says how many could be
 * started; workers_stop() is due in any case. */
bool workers_start(struct workers *workers, struct status *st);

/* Ends the threads and frees everything. No task may be left. */
void workers_stop(struct workers *workers);

/* Executes a task that waits for a thread of this lane, on the calling thread;
 * false if none waits. */
bool workers_run_one(struct workers *workers, enum lane lane);

/* Asks each thread for a sign of life: those that wait for work are woken,
 * those that execute a job give one where they test its cancel flag. */
void workers_ask(struct workers *workers);

/* True if all threads have answered. */
bool workers_are_alive(const struct workers *workers);

/* Requests that wait in each lane, and threads that execute a job now. */
void workers_gauges(struct workers *workers, size_t waiting[LANES],
                    size_t busy[LANES]);

/* Borrows both; `uv` is the loop of the thread. The handle is closed with the
 * loop's others. False without memory. */
bool worker_queue_init(struct worker_queue *queue, uv_loop_t *uv,
                       struct metrics *metrics);

/* No task may be left. */
void worker_queue_free(struct worker_queue *queue);

/* Cancels the jobs whose clients have closed the connection, and those that
 * have waited for a worker until their timeout; refuses those of any loop that
 * have waited for longer than max-queue-delay. To be called at short, regular
 * intervals. */
void worker_queue_check(struct worker_queue *queue,
                        struct job_context *context);

/* To be called for each request, after job_clear() of the previous job. Borrows
 * all but the task. */
void worker_init(struct worker_task *task, struct job_context *context,
                 struct worker_queue *queue, const struct worker_waiter *waiter,
                 void *waiter_context);

/* Admits a request before its body is read, so that no body is read in vain
 * while the queue is too long; the job has the body's length and the codings.
 * False: the job has the refusal. */
bool worker_admit(struct worker_task *task);

/* Executes the job. False: the reply is ready, an error's if the queue is full.
 * True: a worker will execute it; the request's memory must not change until
 * resume() is called. Once for a request. */
bool worker_start(struct worker_task *task);

/* Cancels the job: at its next check of job.cancel if a worker executes it, at
 * once if it is still queued. resume() is called in both cases. */
void worker_cancel(struct worker_task *task);
