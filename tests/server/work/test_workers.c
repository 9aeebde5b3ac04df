/* The signs of life of worker threads. */
#include <check.h>
#include <sched.h>
#include <unistd.h>

#include "kernels/core/cancel.h"
#include "server/clock/clock.h"
#include "server/work/workers.h"
#include "tests/count.h"
#include "tests/suite.h"

enum { WAIT_MS = 60000, SILENCE_US = 200000 };

static struct workers workers;
static atomic_bool hangs, works, has_begun;
static const atomic_bool never;

/* An entry that ends when neither flag is set; while it works it tests its
 * cancel flag, while it hangs it does not. */
static bool run(struct queue_item *entry, uint64_t *rest_cost)
{
    (void)entry;
    (void)rest_cost;
    atomic_store(&has_begun, true);
    while (atomic_load(&hangs) || atomic_load(&works))
        if (!atomic_load(&hangs))
            cancel_requested(&never);
        else
            sched_yield();
    return true;
}

static void done(struct queue_item *entry)
{
    (void)entry;
}

static void refuse(struct queue_item *entry, uint64_t wait_ns)
{
    (void)entry;
    (void)wait_ns;
}

static void set_up(void)
{
    static const struct workers_calls calls = {run, done, refuse};
    const struct queue_settings settings = {.max_waiting = 4, .workers = 2};
    struct status st;

    workers_init(&workers, &settings, &calls);
    ck_assert(workers_start(&workers, &st));
}

static void tear_down(void)
{
    workers_stop(&workers);
}

static bool are_alive_in_time(void)
{
    uint64_t until_ms = clock_now_ms() + WAIT_MS;

    while (!workers_are_alive(&workers) && clock_now_ms() < until_ms)
        sched_yield();
    return workers_are_alive(&workers);
}

START_TEST(workers_answer_while_they_wait)
{
    for (int i = 0; i < 100; i++) {
        workers_ask(&workers);
        ck_assert(are_alive_in_time());
    }
}
END_TEST

static void begin(void)
{
    static struct queue_item entry; /* in use until tear_down() */
    uint64_t wait_ns;

    queue_item_init(&entry);
    entry.cost = 1;
    ck_assert_int_eq(workers_push(&workers, &entry, false, &wait_ns), QUEUE_OK);
    while (!atomic_load(&has_begun))
        sched_yield();
}

START_TEST(workers_answer_where_they_test_their_cancel_flag)
{
    atomic_store(&works, true);
    begin();
    for (int i = 0; i < 10; i++) {
        workers_ask(&workers);
        ck_assert(are_alive_in_time());
    }
    atomic_store(&works, false);
}
END_TEST

START_TEST(workers_that_hang_do_not_answer_until_they_go_on)
{
    atomic_store(&hangs, true);
    begin();
    workers_ask(&workers);
    usleep(SILENCE_US);
    ck_assert(!workers_are_alive(&workers));
    atomic_store(&hangs, false);
    ck_assert(are_alive_in_time());
}
END_TEST

/* Without threads nothing is taken. */
START_TEST(workers_tell_who_waits_in_which_lane)
{
    static const uint64_t costs[] = {
        1,          LANE_SHORT_MAX,   LANE_MEDIUM_MAX, LANE_MEDIUM_MAX + 1,
        UINT32_MAX, UINT64_C(1) << 40};
    static const struct workers_calls calls = {run, done, refuse};
    const struct queue_settings settings = {.max_waiting = 9, .workers = 2};
    static struct workers idle;
    struct queue_item entries[COUNT(costs)];
    size_t waiting[LANES], counts[LANES];
    size_t busy[LANES];
    uint64_t wait_ns;

    workers_init(&idle, &settings, &calls);
    for (size_t i = 0; i < COUNT(costs); i++) {
        queue_item_init(&entries[i]);
        entries[i].cost = costs[i];
        entries[i].address = (uint32_t)i;
        ck_assert_int_eq(workers_push(&idle, &entries[i], false, &wait_ns),
                         QUEUE_OK);
    }
    workers_waiting(&idle, waiting);
    ck_assert_uint_eq(waiting[LANE_SHORT], 2);
    ck_assert_uint_eq(waiting[LANE_MEDIUM], 1);
    ck_assert_uint_eq(waiting[LANE_LONG], 3);
    ck_assert(workers_remove(&idle, &entries[3]));
    ck_assert(!workers_remove(&idle, &entries[3]));
    workers_waiting(&idle, waiting);
    ck_assert_uint_eq(waiting[LANE_LONG], 2);
    pthread_mutex_destroy(&idle.lock);
    workers_threads(&workers, counts, busy);
    for (int i = 0; i < LANES; i++)
        ck_assert_uint_eq(busy[i], 0);
    ck_assert_uint_eq(counts[LANE_SHORT], 1);
    ck_assert_uint_eq(counts[LANE_MEDIUM], 2);
    ck_assert_uint_eq(counts[LANE_LONG], 2);
}
END_TEST

SUITE_WITH("workers", set_up, tear_down, TEST(workers_answer_while_they_wait),
           TEST(workers_tell_who_waits_in_which_lane),
           TEST(workers_answer_where_they_test_their_cancel_flag),
           TEST(workers_that_hang_do_not_answer_until_they_go_on))
