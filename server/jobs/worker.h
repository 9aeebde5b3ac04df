/* Runs a prepared job: on the loop's thread when it is short, otherwise on one
 * of libuv's worker threads. Knows no transport: the connection that waits for
 * the reply is told through struct worker_waiter.
 *
 * Loop thread only. While a worker has a task, its job is the worker's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/jobs/job.h"

/* A transport's side of a task. Called on the loop's thread, with the context
 * that worker_init() was given. */
struct worker_waiter {
    /* The task was queued: the client's request must stay as it is until
     * resume() is called. Called at most once for a request. */
    void (*suspend)(void *context);

    /* The reply of a suspended task is ready: it is to be sent as soon as the
     * connection can send. */
    void (*resume)(void *context);

    /* The reply is ready and the request was not suspended: sends it. False
     * when it cannot be sent and the connection is to be closed. */
    bool (*send)(void *context);

    /* Whether the client has gone, so that its job may be cancelled. Asked of
     * suspended tasks by worker_queue_check(). */
    bool (*gone)(void *context);
};

/* The tasks of one loop that wait for a worker or are run by one. */
struct worker_queue {
    uv_loop_t *uv;             /* borrowed */
    struct metrics *metrics;   /* borrowed; counts the tasks of each model */
    struct worker_task *first; /* borrowed list */
    uv_timer_t timer;          /* for the nearest deadline */
};

/* One request's task. The caller fills in the job, from its request on; the
 * other members are private. */
struct worker_task {
    struct job job;
    struct worker_queue *queue;         /* borrowed, as the next two */
    const struct worker_waiter *waiter; /* a table */
    void *waiter_context;
    uv_work_t work;
    struct worker_task *next, *prev; /* of the queue, while it is queued */
    const struct model *model;       /* that it was counted for; may be NULL */
    uint64_t deadline_us; /* by clock_now_us(); 0: none, or passed already */
    bool late;            /* was taken out of the queue past its deadline */
    bool queued;
};

/* `metrics` is written by the loop's thread. uv_walk() finds the timer. */
void worker_queue_init(struct worker_queue *queue, uv_loop_t *uv,
                       struct metrics *metrics);

/* Cancels the jobs whose clients have gone. To be called every tick. */
void worker_queue_check(struct worker_queue *queue);

/* All borrowed. */
struct worker_setup {
    struct job_context *context;
    struct worker_queue *queue;
    const struct worker_waiter *waiter;
    void *waiter_context;
};

/* For each request anew, after job_clear() of the last one's job. */
void worker_init(struct worker_task *task, const struct worker_setup *setup);

/* Answers the job: calls send() before it returns, or suspend() now and
 * resume() later. A full queue and an error are replies too. False when send()
 * failed. Once for a request. */
bool worker_start(struct worker_task *task);

/* Cancels the job: at its next look at job.cancel if a worker runs it, at once
 * if it still waits. resume() is called all the same. */
void worker_cancel(struct worker_task *task);
