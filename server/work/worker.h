/* Executes a job: on the loop's thread when it is short, otherwise on one of
 * the worker threads. Knows no transport: it calls the functions of a struct
 * worker_waiter, which a transport provides.
 *
 * All functions are for the loop's thread. While a worker executes a job, only
 * the worker may use it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "server/work/job.h"

/* A transport's side of a task. Called on the loop's thread, with the context
 * that worker_init() was given. */
struct worker_waiter {
    /* The task was queued: the request's memory must not change until resume()
     * is called. Called at most once for a request. */
    void (*suspend)(void *context);

    /* The reply of a suspended task is ready to be sent. */
    void (*resume)(void *context);

    /* The reply is ready and the task was not suspended: sends the reply. False
     * when it cannot be sent; the connection must then be closed. */
    bool (*send)(void *context);

    /* True if the client has closed the connection: its job is then cancelled.
     * worker_queue_check() calls it for suspended tasks. */
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

/* How a task has ended that no worker has executed to its end. */
enum worker_fate {
    WORKER_EXECUTED,
    WORKER_CANCELLED, /* the service is stopping */
    WORKER_LATE,      /* its timeout has passed */
    WORKER_SHED,      /* it has waited too long, or would have to */
};

/* One request's task. The caller fills in the job and the address; the other
 * members are private. */
struct worker_task {
    struct job job;
    uint32_t address;                   /* a hash of the client's address */
    struct worker_queue *queue;         /* borrowed, as the next two */
    const struct worker_waiter *waiter; /* a table */
    void *waiter_context;
    struct queue_item entry;
    LIST_ENTRY(worker_task) link;       /* of the queue, while it is queued */
    STAILQ_ENTRY(worker_task) is_ended; /* of the queue's `ended` */
    const struct model
        *model;           /* whose pending count includes the task, or NULL */
    uint64_t deadline_us; /* by clock_now_us(); 0: none, or passed */
    enum worker_fate fate;
    uint64_t wait_ns; /* of WORKER_SHED: how long it would have waited */
    bool admitted;    /* by worker_admit() */
    bool queued;
};

/* Initialises context->workers, as the options of the context say. They execute
 * tasks as soon as workers_start() was called. */
void worker_set_up(struct job_context *context);

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

/* Before the body is read: whether the request, whose job has the body's length
 * and the codings, may wait for a worker, if it needs one. False when the job
 * has the reply of a refusal. */
bool worker_admit(struct worker_task *task);

/* To be called with the bytes of the body so far, whenever more have come: what
 * worker_admit() gave lasts as long as the body makes progress. */
void worker_received(struct worker_task *task, size_t before, size_t now);

/* Takes back what worker_admit() gave to a request that will not be started. To
 * be called before worker_init() of the next, in any case. */
void worker_end(struct worker_task *task);

/* Executes the job: calls send() before it returns, or suspend() now and
 * resume() later. A full queue or an error makes an error reply. False when
 * send() failed. Once for a request. */
bool worker_start(struct worker_task *task);

/* Cancels the job: at its next check of job.cancel if a worker executes it, at
 * once if it is still queued. resume() is called in both cases. */
void worker_cancel(struct worker_task *task);

/* The functions below are for the files of this room. */

/* Adds the task to those of its loop, with all that the loop has to know of it
 * while a worker has it: to be called before workers_push(). */
void worker_queue_add(struct worker_task *task);

/* Takes it out again: no worker has it. */
void worker_queue_remove(struct worker_task *task);

/* Gives the task back to its loop, which calls resume(). Any thread. */
void worker_queue_end(struct worker_task *task, enum worker_fate fate);

/* Makes the reply of a job that may not wait, by a verdict other than
 * QUEUE_OK. */
void worker_refuse(struct job *job, enum queue_verdict verdict,
                   uint64_t wait_ns);

/* Makes the reply of a task with another fate than WORKER_EXECUTED. */
void worker_refuse_ended(struct worker_task *task);
