/* The priority of a worker thread, and when it gives way. */
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "kernels/core/cancel.h"
#include "server/clock/clock.h"
#include "server/work/priority.h"
#include "tests/suite.h"

static int yields;

/* Takes the place of the C library's. */
int sched_yield(void)
{
    yields++;
    return 0;
}

static void test_flag(int times)
{
    const atomic_bool flag = false;

    for (int i = 0; i < times; i++)
        ck_assert(!cancel_requested(&flag));
}

static void *run(void *kind)
{
    uint64_t until_ns;

    test_flag(1);
    ck_assert_int_eq(yields, 0);
    cancel_pause = priority_give_way;
    priority_lower(*(enum lane *)kind);
    ck_assert_int_eq(getpriority(PRIO_PROCESS, 0),
                     *(enum lane *)kind == LANE_LONG ? 10 : 5);
    test_flag(1);
    ck_assert_int_eq(yields, 1);
    test_flag(1000);
    ck_assert_int_lt(yields, 1000);
    yields = 0;
    until_ns = clock_now_ns() + 1000000;
    while (clock_now_ns() < until_ns)
        continue;
    test_flag(1);
    ck_assert_int_eq(yields, 1);
    return NULL;
}

START_TEST(worker_gives_way_now_and_then_and_others_never)
{
    enum lane kind = (enum lane)_i;
    int before = getpriority(PRIO_PROCESS, 0);
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, run, &kind), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), before);
    yields = 0;
    test_flag(1000);
    ck_assert_int_eq(yields, 0);
}
END_TEST

SUITE("priority", LOOP(worker_gives_way_now_and_then_and_others_never, LANES))
