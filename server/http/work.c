#include "server/http/work.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <uv.h>

#include "server/http/connection.h"
#include "server/http/deadlines.h"
#include "server/http/loop.h"

enum { WORKER_NICE = 5 };

static struct exchange *exchange_of(uv_work_t *work)
{
    return (struct exchange *)(void *)((char *)work -
                                       offsetof(struct exchange, work));
}

/* A worker computes for long, a loop for microseconds, and many clients wait
 * for it: where there are fewer cores than threads the loop goes first. The
 * kernel's threads each have a nice value; 0 means the calling one. */
static void give_way(void)
{
    static _Thread_local bool done;

    if (!done)
        setpriority(PRIO_PROCESS, 0, WORKER_NICE);
    done = true;
}

static void run(uv_work_t *work) /* worker thread */
{
    struct exchange *exchange = exchange_of(work);

    give_way();
    admission_dequeue(&exchange->job.context->admission);
    job_run(&exchange->job);
}

static void refuse(struct exchange *exchange)
{
    struct job *job = &exchange->job;

    job->model = exchange->pending;
    if (exchange->deadline.passed)
        job_fail(job, 504, -1, job_late);
    else
        job_fail(job, 503, -1, "the service is stopping");
}

/* One more, or one less, of its model's requests is with the workers. */
static void count(struct connection *connection, int change)
{
    const struct model *model = connection->exchange.pending;

    if (model)
        model_counts_pending(&connection->loop->metrics.models[model->slot],
                             change);
}

static void done(uv_work_t *work, int failed) /* loop thread */
{
    struct exchange *exchange = exchange_of(work);
    struct connection *connection = work->data;

    deadline_stop(connection);
    count(connection, -1);
    if (failed) { /* cancelled before it ran */
        admission_dequeue(&exchange->job.context->admission);
        refuse(exchange);
    }
    exchange->worked = true;
    MHD_resume_connection(connection->mhd);
    connection->loop->need_run = true;
}

bool work_start(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    struct job *job = &exchange->job;
    struct status st;

    if (!admission_enqueue(&job->context->admission)) {
        job_fail(job, 503, METRICS_QUEUE_FULL,
                 "too many requests wait for a worker (max-queue-size): "
                 "try again");
        return false;
    }
    if (exchange->route.id == API_ROUTE_INFER)
        exchange->pending = api_model(&job->request, &exchange->route, &st);
    count(connection, 1);
    exchange->work.data = connection;
    deadline_start(connection); /* reads what is the worker's from then on */
    uv_queue_work(&connection->loop->uv, &exchange->work, run, done);
    MHD_suspend_connection(connection->mhd);
    connection_enter(connection, CONNECTION_WORK, UINT32_MAX);
    return true;
}
