#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/clock/clock.h"
#include "server/work/worker.h"
#include "tests/count.h"
#include "tests/server/work/job_case.h"
#include "tests/suite.h"

enum { BUDGET = 64 << 10, QUEUE = 8 };

static struct options options;
static struct job_context context;
static struct metrics *metrics;
static uv_loop_t uv;
static struct worker_queue queue;

/* A transport without a network: it counts the calls. */
struct client {
    struct worker_task task;
    int suspended, resumed, sent;
    bool cannot_send, has_gone;
    struct lease lease;
};

static struct client clients[QUEUE];

static void on_suspend(void *waiter)
{
    ((struct client *)waiter)->suspended++;
}

static void on_resume(void *waiter)
{
    ((struct client *)waiter)->resumed++;
}

static bool on_send(void *waiter)
{
    struct client *client = waiter;

    client->sent++;
    return !client->cannot_send;
}

static bool has_gone(void *waiter)
{
    return ((struct client *)waiter)->has_gone;
}

static const struct worker_waiter waiter = {on_suspend, on_resume, on_send,
                                            has_gone};

static void set_up(void)
{
    options = (struct options){
        .inline_limit = 0, .max_queue_size = QUEUE - 1, .worker_count = 1};
    context = (struct job_context){.options = &options};
    metrics = calloc(1, sizeof(*metrics));
    buffer_pool_init(&context.buffer_pool, 0, NULL);
    budget_init(&context.budget, BUDGET);
    worker_set_up(&context);
    uv_loop_init(&uv);
    worker_queue_init(&queue, &uv, metrics);
    for (int i = 0; i < QUEUE; i++) {
        clients[i] = (struct client){.sent = 0};
        worker_init(&clients[i].task, &context, &queue, &waiter, &clients[i]);
        lease_init(&clients[i].lease, &context.budget, NULL);
        clients[i].task.job.lease = &clients[i].lease;
    }
}

static void tear_down(void)
{
    for (int i = 0; i < QUEUE; i++)
        job_clear(&clients[i].task.job);
    workers_stop(&context.workers);
    uv_close((uv_handle_t *)&queue.wake, NULL);
    uv_run(&uv, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&uv), 0);
    worker_queue_free(&queue);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
    buffer_pool_free(&context.buffer_pool);
    free(metrics);
}

static bool start(struct client *client, const char *more)
{
    job_case_set_request(&client->task.job, more);
    return worker_start(&client->task);
}

/* The threads: until they start, tasks wait. */
static void start_workers(void)
{
    struct status st;

    ck_assert_msg(workers_start(&context.workers, &st), "%s", st.message);
}

/* Runs the loop until all suspended tasks were resumed. */
static void run_loop(void)
{
    for (int i = 0; i < QUEUE; i++)
        while (clients[i].resumed < clients[i].suspended)
            uv_run(&uv, UV_RUN_NOWAIT);
}

static int status_of(const struct client *client)
{
    return client->task.job.reply.status;
}

START_TEST(worker_short_job_is_sent_at_once)
{
    options.inline_limit = 512;
    ck_assert(start(&clients[0], ""));
    ck_assert_int_eq(clients[0].sent, 1);
    ck_assert_int_eq(clients[0].suspended, 0);
    ck_assert_int_eq(status_of(&clients[0]), 200);
}
END_TEST

/* Whether a worker is promised to a body of this length. */
static bool wants_worker(size_t len, bool only_moves)
{
    struct worker_task *task = &clients[0].task;
    bool wants;

    task->job.request =
        (struct api_request){.body_len = len, .is_protobuf = only_moves};
    ck_assert(worker_admit(task));
    wants = task->admitted;
    worker_end(task);
    task->admitted = false;
    return wants;
}

START_TEST(worker_is_for_what_is_longer_than_the_limit)
{
    options.inline_limit = 512;
    ck_assert(!wants_worker(512, false));
    ck_assert(wants_worker(513, false));
    ck_assert(!wants_worker(8 * 512 + 3, true));
    ck_assert(wants_worker(8 * 512 + 4, true));
    options.worker_count = 2;
    ck_assert(!wants_worker(512, true));
    ck_assert(wants_worker(513, true));
    options.worker_count = 1;
    options.inline_limit = 0;
    ck_assert(wants_worker(4, true));
}
END_TEST

START_TEST(worker_start_reports_a_failed_send)
{
    options.inline_limit = 512;
    clients[0].cannot_send = true;
    ck_assert(!start(&clients[0], ""));
}
END_TEST

START_TEST(worker_long_job_suspends_and_resumes)
{
    ck_assert(start(&clients[0], ""));
    ck_assert_int_eq(clients[0].suspended, 1);
    ck_assert_int_eq(clients[0].resumed, 0);
    start_workers();
    run_loop();
    ck_assert_int_eq(clients[0].resumed, 1);
    ck_assert_int_eq(clients[0].sent, 0);
    ck_assert_int_eq(status_of(&clients[0]), 200);
}
END_TEST

START_TEST(worker_full_queue_is_503_at_once)
{
    for (int i = 0; i < QUEUE; i++)
        ck_assert(start(&clients[i], ""));
    ck_assert_int_eq(clients[QUEUE - 1].sent, 1);
    ck_assert_int_eq(clients[QUEUE - 1].suspended, 0);
    ck_assert_int_eq(status_of(&clients[QUEUE - 1]), 503);
    start_workers();
    run_loop();
    for (int i = 0; i < QUEUE - 1; i++)
        ck_assert_int_eq(status_of(&clients[i]), 200);
}
END_TEST

START_TEST(worker_job_of_a_closed_connection_is_cancelled)
{
    ck_assert(start(&clients[0], ""));
    ck_assert(start(&clients[1], ""));
    clients[0].has_gone = true;
    worker_queue_check(&queue, &context);
    start_workers();
    run_loop();
    ck_assert_int_eq(clients[0].resumed, 1);
    ck_assert_int_eq(status_of(&clients[0]), 503);
    ck_assert_int_eq(status_of(&clients[1]), 200);
}
END_TEST

START_TEST(worker_late_job_is_removed_from_the_queue)
{
    ck_assert(start(&clients[0], ",\"parameters\":{\"timeout\":1000}"));
    ck_assert(start(&clients[1], ",\"parameters\":{\"timeout\":100000000}"));
    while (clients[0].resumed == 0) { /* no worker has started */
        worker_queue_check(&queue, &context);
        uv_run(&uv, UV_RUN_NOWAIT);
    }
    ck_assert_int_eq(status_of(&clients[0]), 504);
    ck_assert_int_eq(clients[1].resumed, 0);
    start_workers();
    run_loop();
    ck_assert_int_eq(status_of(&clients[1]), 200);
}
END_TEST

START_TEST(worker_cancelled_task_is_resumed)
{
    ck_assert(start(&clients[0], ""));
    worker_cancel(&clients[0].task);
    run_loop();
    ck_assert_int_eq(status_of(&clients[0]), 503);
    worker_cancel(&clients[0].task); /* again does nothing */
    start_workers();
    run_loop();
    ck_assert_int_eq(clients[0].resumed, 1);
}
END_TEST

START_TEST(worker_schedule_has_the_options)
{
    const struct queue_settings *is = &context.workers.queue.settings;

    options.max_queue_size = 5;
    options.max_queue_delay = 250;
    options.worker_count = 3;
    workers_stop(&context.workers);
    worker_set_up(&context);
    ck_assert_uint_eq(is->max_waiting, 5);
    ck_assert_uint_eq(is->max_delay_ns, 250000000);
    ck_assert_int_eq(is->workers, 3);
}
END_TEST

static const struct {
    enum queue_verdict verdict;
    uint64_t wait_ns;
    enum metrics_rejection reason;
    const char *text;
} refusals[] = {
    {QUEUE_FULL, 0, METRICS_QUEUE_FULL,
     "too many requests wait for a worker (max-queue-size): try again"},
    {QUEUE_LATE, 120999999, METRICS_QUEUE_DELAY,
     "the request would wait about 120 ms for a worker, but max-queue-delay is "
     "100 ms: try again"},
    {QUEUE_LATE, 100000000, METRICS_QUEUE_DELAY,
     "the request would wait about 100 ms for a worker, but max-queue-delay is "
     "100 ms: try again"},
    {QUEUE_LATE, 99999999, METRICS_QUEUE_DELAY,
     "requests wait for workers all the time, for longer than max-queue-delay, "
     "100 ms: try again"},
};

START_TEST(worker_refusal_tells_why)
{
    struct job *job = &clients[0].task.job;
    char text[256], json[256] = "";

    options.max_queue_delay = 100;
    worker_refuse(job, refusals[_i].verdict, refusals[_i].wait_ns);
    ck_assert_int_eq(job->reply.status, 503);
    ck_assert_int_eq(job->rejection, refusals[_i].reason);
    snprintf(text, sizeof(text), "{\"error\":\"%s\"}", refusals[_i].text);
    ck_assert_uint_lt(api_reply_bytes(&job->reply), sizeof(json));
    memcpy(json, job->reply.pieces[0].data, job->reply.pieces[0].len);
    ck_assert_str_eq(json, text);
}
END_TEST

SUITE_WITH("worker", set_up, tear_down, TEST(worker_short_job_is_sent_at_once),
           TEST(worker_schedule_has_the_options),
           LOOP(worker_refusal_tells_why, COUNT(refusals)),
           TEST(worker_is_for_what_is_longer_than_the_limit),
           TEST(worker_start_reports_a_failed_send),
           TEST(worker_long_job_suspends_and_resumes),
           TEST(worker_full_queue_is_503_at_once),
           TEST(worker_job_of_a_closed_connection_is_cancelled),
           TEST(worker_late_job_is_removed_from_the_queue),
           TEST(worker_cancelled_task_is_resumed))
