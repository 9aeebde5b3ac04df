#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/core/cancel.h"
#include "server/base/clock.h"
#include "server/work/context.h"
#include "server/work/workers.h"
#include "tests/heap_watch.h"
#include "tests/server/work/job_case.h"
#include "tests/unit.h"

enum { BUDGET = 4 * BUDGET_MAPPED, QUEUE = 8 };
enum { WAIT_MS = 60000, SILENCE_US = 200000 };

static struct options options = {.max_queue_size = QUEUE - 1,
                                 .worker_count = 1};
static struct job_context context = {.options = &options};
static struct workers workers;
static struct metrics *metrics;
static uv_loop_t uv;
static struct worker_queue queue;

/* A transport without a network: it counts the calls. */
struct client {
    struct worker_task task;
    int suspended, resumed, sent;
    bool has_gone;
    struct lease lease;
};

static struct client clients[QUEUE];

static void on_resume(void *waiter)
{
    ((struct client *)waiter)->resumed++;
}

static bool has_gone(void *waiter)
{
    return ((struct client *)waiter)->has_gone;
}

static const struct worker_waiter waiter = {on_resume, has_gone};

static void set_up(void)
{
    metrics = calloc(1, sizeof(*metrics));
    budget_init(&context.budget, BUDGET, BUDGET);
    workers_init(&workers, &context);
    uv_loop_init(&uv);
    ck_assert(worker_queue_init(&queue, &uv, metrics));
    for (int i = 0; i < QUEUE; i++) {
        worker_init(&clients[i].task, &context, &queue, &waiter, &clients[i]);
        lease_init(&clients[i].lease, &context.budget, NULL);
        clients[i].task.job.lease = &clients[i].lease;
    }
}

static void run_loop(void)
{
    for (int i = 0; i < QUEUE; i++)
        while (clients[i].resumed < clients[i].suspended)
            uv_run(&uv, UV_RUN_NOWAIT);
}

static void tear_down(void)
{
    for (int i = 0; i < QUEUE; i++)
        worker_cancel(&clients[i].task);
    run_loop();
    for (int i = 0; i < QUEUE; i++)
        job_clear(&clients[i].task.job);
    workers_stop(&workers);
    uv_close((uv_handle_t *)&queue.wake, NULL);
    uv_run(&uv, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&uv), 0);
    worker_queue_free(&queue);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
    budget_free(&context.budget);
    free(metrics);
}

static void start_task(struct client *client)
{
    bool suspended = worker_start(&client->task);

    client->suspended += suspended;
    client->sent += !suspended;
}

static void start(struct client *client, const char *more)
{
    job_case_set_request(&client->task.job, more);
    start_task(client);
}

/* The threads: until they start, tasks wait. */
static void start_workers(void)
{
    struct status st;

    ck_assert_msg(workers_start(&workers, &st), "%s", st.message);
}

static void run_all(void)
{
    start_workers();
    run_loop();
}

static int status_of(const struct client *client)
{
    return client->task.job.reply.status;
}

/* Whether a body of this length may wait for a worker. */
static bool wants_worker(size_t len, bool only_moves)
{
    struct worker_task *task = &clients[0].task;
    bool wants;

    task->job.request =
        (struct api_request){.body_len = len, .is_protobuf = only_moves};
    ck_assert(worker_admit(task));
    wants = task->admitted;
    task->admitted = false;
    return wants;
}

UNIT_TEST(worker_is_for_what_is_longer_than_the_limit)
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

UNIT_TEST(worker_long_job_suspends_and_resumes)
{
    const struct model_times *times = &clients[0].task.job.times;

    start(&clients[0], "");
    ck_assert_int_eq(clients[0].suspended, 1);
    ck_assert_int_eq(clients[0].resumed, 0);
    run_all();
    ck_assert_int_eq(clients[0].resumed, 1);
    ck_assert_int_eq(clients[0].sent, 0);
    ck_assert_int_eq(status_of(&clients[0]), 200);
    ck_assert_uint_gt(times->started, 0);
    ck_assert_uint_le(times->started, times->executed);
}

static void expect_refusal(const struct client *client,
                           enum metrics_rejection reason, const char *text)
{
    const struct job *job = &client->task.job;
    char wanted[256], json[256] = "";

    ck_assert_int_eq(client->sent, 1);
    ck_assert_int_eq(job->reply.status, 503);
    ck_assert_int_eq(job->rejection, reason);
    snprintf(wanted, sizeof(wanted), "{\"error\":\"%s\"}", text);
    ck_assert_uint_lt(api_reply_bytes(&job->reply), sizeof(json));
    memcpy(json, job->reply.pieces[0].data, job->reply.pieces[0].len);
    ck_assert_str_eq(json, wanted);
}

/* Requests of the tests' model that wait or run. */
static uint64_t pending(void)
{
    const struct model *model = clients[0].task.job.request.model;

    return atomic_load(&metrics->models[api_model_slot(model)].pending);
}

UNIT_TEST(worker_full_queue_is_503_at_once)
{
    const struct job *last = &clients[QUEUE - 1].task.job;

    for (int i = 0; i < QUEUE; i++)
        start(&clients[i], "");
    ck_assert_int_eq(clients[QUEUE - 1].suspended, 0);
    ck_assert_uint_eq(pending(), QUEUE - 1);
    ck_assert_int_eq(last->step, JOB_DONE);
    ck_assert_ptr_nonnull(last->model);
    expect_refusal(&clients[QUEUE - 1], METRICS_QUEUE_FULL,
                   "too many requests wait for a worker (max-queue-size): "
                   "try again");
    run_all();
    for (int i = 0; i < QUEUE - 1; i++)
        ck_assert_int_eq(status_of(&clients[i]), 200);
    ck_assert_uint_eq(pending(), 0);
}

UNIT_TEST(worker_job_of_a_closed_connection_is_cancelled)
{
    start(&clients[0], "");
    start(&clients[1], "");
    clients[0].has_gone = true;
    worker_queue_check(&queue, &context);
    run_all();
    ck_assert_int_eq(clients[0].resumed, 1);
    ck_assert_int_eq(status_of(&clients[0]), 503);
    ck_assert_int_eq(status_of(&clients[1]), 200);
}

UNIT_TEST(worker_late_job_is_removed_from_the_queue)
{
    start(&clients[0], ",\"parameters\":{\"timeout\":1000}");
    start(&clients[1], ",\"parameters\":{\"timeout\":100000000}");
    while (clients[0].resumed == 0) { /* no worker has started */
        worker_queue_check(&queue, &context);
        uv_run(&uv, UV_RUN_NOWAIT);
    }
    ck_assert_int_eq(status_of(&clients[0]), 504);
    ck_assert_uint_eq(clients[0].task.deadline_us, 0);
    ck_assert_int_eq(clients[1].resumed, 0);
    run_all();
    ck_assert_int_eq(status_of(&clients[1]), 200);
}

#define OWN ",\"parameters\":{\"timeout\":5000}"

/* The sooner one of the client's and the request's own counts. A coded body is
 * not read before it is inflated. */
static const struct {
    const char *more;
    uint64_t of_client;   /* us */
    bool coded, is_other; /* no inference, which alone names a timeout */
    uint64_t limit;       /* us; 0: none */
} timeouts[] = {
    {"", 0, false, false, 0},        {"", 7000, false, false, 7000},
    {OWN, 0, false, false, 5000},    {OWN, 7000, false, false, 5000},
    {OWN, 3000, false, false, 3000}, {OWN, 0, true, false, 0},
    {OWN, 7000, true, false, 7000},  {OWN, 0, false, true, 0},
};

LOOP_TEST(worker_deadline_is_the_sooner_one, COUNT(timeouts))
{
    struct worker_task *task = &clients[0].task;
    uint64_t limit = timeouts[_i].limit;
    static struct api_route route;

    job_case_set_request(&task->job, timeouts[_i].more);
    route = *task->job.request.route;
    route.id = timeouts[_i].is_other ? API_ROUTE_MODEL : route.id;
    task->job.request.route = &route;
    task->job.timeout_us = timeouts[_i].of_client;
    task->job.body_coding = timeouts[_i].coded ? CODING_GZIP : CODING_IDENTITY;
    start_task(&clients[0]);
    ck_assert_int_eq(clients[0].suspended, 1);
    ck_assert_uint_eq(task->deadline_us,
                      limit ? task->job.times.arrived / 1000 + limit : 0);
    ck_assert((task->job.request.model == NULL) == timeouts[_i].is_other);
}

/* A region of shared memory is larger than the limit. */
UNIT_TEST(worker_is_for_what_may_be_in_shared_memory)
{
    options.inline_limit = 512;
    context.shm = (struct shm){.enabled = true, .bytes = 513};
    start(&clients[0], "");
    ck_assert_int_eq(clients[0].sent, 1);
    ck_assert_int_eq(clients[0].suspended, 0);
    ck_assert_int_eq(status_of(&clients[0]), 200);
    start(&clients[1], ",\"shared_memory_region\":0");
    ck_assert_int_eq(clients[1].suspended, 1);
}

UNIT_TEST(worker_cancelled_task_is_resumed)
{
    start(&clients[0], "");
    worker_cancel(&clients[0].task);
    run_loop();
    ck_assert_int_eq(status_of(&clients[0]), 503);
    ck_assert_uint_gt(clients[0].task.job.times.started, 0); /* its end */
    worker_cancel(&clients[0].task); /* again does nothing */
    run_all();
    ck_assert_int_eq(clients[0].resumed, 1);
}

static void restart(void)
{
    workers_stop(&workers);
    workers_init(&workers, &context);
}

UNIT_TEST(worker_schedule_has_the_options)
{
    const struct queue_settings *is = &workers.queue.settings;

    options.max_queue_size = 5;
    options.max_queue_delay = 250;
    options.worker_count = 3;
    restart();
    ck_assert_uint_eq(is->max_waiting, 5);
    ck_assert_uint_eq(is->max_delay_ns, 250000000);
    ck_assert_int_eq(is->workers, 3);
}

static const char *const texts[] = {
    "the request would wait about 120 ms for a worker, but max-queue-delay "
    "is 100 ms: try again",
    "the request would wait about 100 ms for a worker, but max-queue-delay "
    "is 100 ms: try again",
    "requests wait for workers all the time, for longer than "
    "max-queue-delay, 100 ms: try again"};

/* After a refusal 6 ms are too long. */
UNIT_TEST(worker_refusal_tells_why)
{
    static const uint64_t waits_ns[] = {120999999, 100000001, 6000000};
    uint64_t cost;

    options.max_queue_delay = 100;
    restart();
    start(&clients[0], "");
    cost = workers.queue.lanes[LANE_SHORT].cost;
    workers.queue.lanes[LANE_SHORT].addresses[0].empty_ns = 1; /* long ago */
    for (int i = 0; i < 3; i++) {
        /* As much work as two threads do in that time. */
        workers.queue.lanes[LANE_SHORT].cost = 2 * waits_ns[i];
        start(&clients[1 + i], "");
        expect_refusal(&clients[1 + i], METRICS_QUEUE_DELAY, texts[i]);
    }
    workers.queue.lanes[LANE_SHORT].cost = cost;
    run_all();
}

/* A large body is refused for the work before it, a small one is not. */
UNIT_TEST(worker_admits_by_the_cost_of_the_body)
{
    struct worker_task *task = &clients[0].task;
    struct queue_lane *medium = &workers.queue.lanes[LANE_MEDIUM];

    options.max_queue_delay = 100;
    workers.queue.settings.max_delay_ns = 100000000;
    medium->count = medium->address_count = 1;
    medium->cost = 200000000;
    task->job.request.body_len = LANE_SHORT_MAX;
    ck_assert(worker_admit(task));
    task->job.request.body_len++;
    ck_assert(!worker_admit(task));
    ck_assert(!task->admitted);
    ck_assert_int_eq(task->job.rejection, METRICS_QUEUE_DELAY);
}

/* When a worker ends a job, whose time counts for the lane's speed, and at
 * regular intervals. */
LOOP_TEST(worker_refuses_who_has_waited_too_long, 2)
{
    const struct queue_lane *lane = &workers.queue.lanes[LANE_SHORT];
    uint64_t began_ns = clock_now_ns(), ns;

    options.max_queue_delay = 100;
    workers.queue.settings.max_delay_ns = 100000000;
    for (int i = 0; i < 2; i++) {
        start(&clients[i], "");
        clients[i].task.item.queued_ns = 1; /* long ago */
    }
    if (_i == 0) {
        ck_assert(workers_run_one(&workers, LANE_SHORT));
        ns = lane->done_ns - (LANE_SHORT_MAX - LANE_SHORT_MAX / 64);
        ck_assert_uint_gt(ns, 0);
        ck_assert_uint_le(ns, clock_now_ns() - began_ns);
    } else {
        worker_queue_check(&queue, &context);
    }
    ck_assert(!workers_run_one(&workers, LANE_SHORT));
    run_loop();
    ck_assert_int_eq(status_of(&clients[0]), _i == 0 ? 200 : 503);
    clients[1].sent = 1;
    expect_refusal(&clients[1], METRICS_QUEUE_DELAY, texts[1]);
}

static size_t leased; /* bytes of the budget */
static atomic_int yields, flag_tests;
static atomic_bool hangs, works, has_begun;
static atomic_int priority; /* of the thread that works */
static const atomic_bool never;

int sched_yield(void)
{
    atomic_fetch_add(&yields, 1);
    return 0;
}

/* Takes the place of the C library's, for a kept buffer. What the worker does
 * when its job takes memory: it ends when neither flag is set; while it works
 * it tests its cancel flag, while it hangs it does not. */
int munmap(void *memory, size_t size)
{
    atomic_store(&priority, getpriority(PRIO_PROCESS, 0));
    atomic_store(&has_begun, true);
    while (atomic_load(&hangs) || atomic_load(&works))
        if (!atomic_load(&hangs)) {
            atomic_fetch_add(&flag_tests, 1);
            cancel_requested(&never);
        }
    return (int)syscall(SYS_munmap, memory, size);
}

/* Runs a job until only its execution is left, which seems to cost so much. */
static void prepare(struct job *job, uint64_t cost_ns)
{
    job_case_set_request(job, "");
    for (int i = 0; i < 2; i++)
        ck_assert(!job_run(job, 0));
    ck_assert_int_eq(job->step, JOB_EXECUTE);
    job->plan.cost_ns = cost_ns;
}

/* Starts a job that takes memory which the budget has to free, and that seems
 * to cost so much. */
static void begin(uint64_t cost_ns)
{
    struct buffer kept;

    lease_init(&clients[0].lease, &context.budget, NULL);
    clients[0].lease.allowance = 0;
    prepare(&clients[0].task.job, cost_ns);
    ck_assert(buffer_get(&context.budget, BUDGET_MAPPED, &kept));
    buffer_put(&context.budget, &kept);
    leased = BUDGET - BUDGET_MAPPED - atomic_load(&context.budget.leased);
    ck_assert(budget_lease(&context.budget, leased));
    start_task(&clients[0]);
    start_workers();
    while (!atomic_load(&has_begun))
        usleep(100);
}

static void end(void)
{
    atomic_store(&works, false);
    atomic_store(&hangs, false);
    run_loop();
    ck_assert_int_eq(status_of(&clients[0]), 200);
    budget_give(&context.budget, leased);
}

static bool are_alive_in_time(void)
{
    uint64_t until_ms = clock_now_ms() + WAIT_MS;

    while (!workers_are_alive(&workers) && clock_now_ms() < until_ms)
        usleep(100);
    return workers_are_alive(&workers);
}

/* While they wait, and where they test their cancel flag. */
LOOP_TEST(workers_answer, 2)
{
    atomic_store(&works, _i > 0);
    if (_i == 0)
        start_workers();
    else
        begin(1);
    for (int i = 0; i < 100; i++) {
        workers_ask(&workers);
        ck_assert(are_alive_in_time());
    }
    if (_i > 0)
        end();
}

UNIT_TEST(workers_that_hang_do_not_answer_until_they_go_on)
{
    atomic_store(&hangs, true);
    begin(1);
    workers_ask(&workers);
    usleep(SILENCE_US);
    ck_assert(!workers_are_alive(&workers));
    atomic_store(&hangs, false);
    ck_assert(are_alive_in_time());
    end();
}

static const uint64_t costs[LANES] = {1, LANE_SHORT_MAX + 1,
                                      LANE_MEDIUM_MAX + 1};

static bool sleeps(enum lane lane)
{
    bool idle;

    pthread_mutex_lock(&workers.lock);
    idle = !SLIST_EMPTY(&workers.idle[lane]);
    pthread_mutex_unlock(&workers.lock);
    return idle;
}

/* A short request finds the thread for short ones asleep while the other has a
 * medium one. */
UNIT_TEST(workers_take_a_short_request_beside_a_medium_one)
{
    uint64_t until_ms = clock_now_ms() + WAIT_MS;

    atomic_store(&works, true);
    begin(costs[LANE_MEDIUM]);
    while (!sleeps(LANE_SHORT))
        usleep(100);
    start(&clients[1], "");
    ck_assert_int_eq(clients[1].suspended, 1);
    while (clients[1].resumed == 0 && clock_now_ms() < until_ms)
        uv_run(&uv, UV_RUN_NOWAIT);
    ck_assert_int_eq(clients[1].resumed, 1);
    ck_assert_int_eq(status_of(&clients[1]), 200);
    ck_assert_int_eq(clients[0].resumed, 0);
    end();
}

/* The test's thread, as a loop's, never does. */
LOOP_TEST(workers_give_way_now_and_then_and_others_never, LANES)
{
    int before = getpriority(PRIO_PROCESS, 0);
    uint64_t until_ns;
    int least;

    atomic_store(&works, true);
    begin(costs[_i]);
    ck_assert_int_eq(atomic_load(&priority), _i == LANE_LONG ? 10 : 5);
    for (int i = 0; i < 3; i++) {
        least = atomic_load(&yields) + 1;
        until_ns = clock_now_ns() + 60000000000;
        while (atomic_load(&yields) < least && clock_now_ns() < until_ns)
            continue;
        ck_assert_int_ge(atomic_load(&yields), least);
    }
    end();
    ck_assert_int_lt(atomic_load(&yields), atomic_load(&flag_tests));
    workers_stop(&workers);
    ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), before);
    atomic_store(&yields, 0);
    for (int i = 0; i < 1000; i++)
        ck_assert(!cancel_requested(&never));
    ck_assert_int_eq(atomic_load(&yields), 0);
    workers_init(&workers, &context);
}

/* In the lanes, and no thread works. */
static void are_waiting(size_t in_short, size_t in_medium, size_t in_long)
{
    const size_t none[LANES] = {0}, wanted[] = {in_short, in_medium, in_long};
    size_t waiting[LANES], busy_threads[LANES];

    workers_gauges(&workers, waiting, busy_threads);
    ck_assert_mem_eq(waiting, wanted, sizeof(waiting));
    ck_assert_mem_eq(busy_threads, none, sizeof(none));
}

/* Without threads nothing is taken. */
UNIT_TEST(workers_tell_who_waits_in_which_lane)
{
    static const size_t wanted[LANES] = {2, 1, 3};

    options.worker_count = 2;
    restart();
    for (int i = 0, lane = 0; lane < LANES; lane++)
        for (size_t j = 0; j < wanted[lane]; j++, i++) {
            prepare(&clients[i].task.job, costs[lane]);
            start_task(&clients[i]);
        }
    are_waiting(2, 1, 3);
    worker_cancel(&clients[3].task);
    worker_cancel(&clients[3].task);
    are_waiting(2, 1, 2);
    run_all();
    are_waiting(0, 0, 0);
    ck_assert_int_eq(workers.count, 5);
}

UNIT_TEST(workers_leave_no_memory_behind)
{
    struct heap_watch watch = {.times = 20, .room = 10 * 32};

    while (heap_goes_on(&watch)) {
        start_workers();
        restart();
    }
}

/* A compressed body tells only then how long it is. The rest is refused where
 * the queue is full by then. */
LOOP_TEST(workers_queue_the_rest_of_a_job_by_its_cost, 2)
{
    static char spaces[4 << 20];
    static unsigned char coded[64 << 10];
    const struct api_piece body = {spaces, sizeof(spaces)};
    struct job *job = &clients[0].task.job;

    options.http_max_input_size = sizeof(spaces);
    memset(spaces, ' ', sizeof(spaces));
    job_case_set_request(job, "");
    job->request.body = coded;
    job->request.body_len =
        content_coding_gzip(&body, 1, coded, sizeof(coded), &never);
    job->body_coding = CODING_GZIP;
    start_task(&clients[0]);
    are_waiting(1, 0, 0);
    if (_i == 1)
        workers.queue.settings.max_waiting = 0;
    ck_assert(workers_run_one(&workers, LANE_SHORT));
    are_waiting(0, _i == 0 ? 1 : 0, 0);
    worker_cancel(&clients[0].task);
    run_loop();
    ck_assert_int_eq(status_of(&clients[0]), 503);
    ck_assert_int_eq(job->rejection, _i == 0 ? -1 : METRICS_QUEUE_FULL);
}

FIXTURE(set_up, tear_down)
