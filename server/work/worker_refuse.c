/* The replies of requests that no worker executes to their end. */
#include <stdio.h>

#include "server/clock/clock.h"
#include "server/work/worker.h"

static void fail_full(struct job *job)
{
    job_fail(job, 503, METRICS_QUEUE_FULL,
             "too many requests wait for a worker (max-queue-size): "
             "try again");
}

/* A queue that stands may be shorter than the option says. */
static void fail_shed(struct job *job, uint64_t wait_ns)
{
    long long limit_ms = job->context->options->max_queue_delay;
    unsigned long long wait_ms = wait_ns / 1000000;
    char text[160];

    if (wait_ms < (unsigned long long)limit_ms)
        snprintf(text, sizeof(text),
                 "requests wait for workers all the time, for longer than "
                 "max-queue-delay, %lld ms: try again",
                 limit_ms);
    else
        snprintf(text, sizeof(text),
                 "the request would wait about %llu ms for a worker, but "
                 "max-queue-delay is %lld ms: try again",
                 wait_ms, limit_ms);
    job_fail(job, 503, METRICS_QUEUE_DELAY, text);
}

void worker_refuse(struct job *job, enum queue_verdict verdict,
                   uint64_t wait_ns)
{
    if (verdict == QUEUE_FULL)
        fail_full(job);
    else
        fail_shed(job, wait_ns);
}

void worker_refuse_ended(struct worker_task *task)
{
    struct job *job = &task->job;

    job_stop(job);
    if (job->times.started == 0)
        job->times.started = clock_now_ns(); /* all its time was the queue's */
    job->model = task->model;
    switch (task->fate) {
    case WORKER_LATE:
        job_fail_late(job);
        break;
    case WORKER_SHED:
        fail_shed(job, task->wait_ns);
        break;
    case WORKER_CANCELLED:
        job_fail(job, 503, -1, "the service is stopping");
        break;
    case WORKER_EXECUTED:
        break;
    }
}
