#include <check.h>

#include "tests/server/work/one_worker.h"
#include "tests/suite.h"

START_TEST(wait_is_none_while_a_thread_is_free)
{
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 0);
    run(0, 2 * MS);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 60 * MS), 0);
}
END_TEST

START_TEST(wait_counts_running_work_half)
{
    run(0, 60 * MS);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 60 * MS), 30 * MS);
    push(1, 1, 80 * MS, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 60 * MS), 110 * MS);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 0); /* other lane */
}
END_TEST

START_TEST(wait_is_divided_among_threads)
{
    start(DELAY, 3);
    for (int i = 0; i < 3; i++)
        run(i, 60 * MS);
    for (int i = 3; i < 6; i++)
        push(i, 1, 60 * MS, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 60 * MS),
                      (3 * 60 + 90) * MS / 3);
}
END_TEST

/* Two threads for short requests, one while the other has a medium one. */
START_TEST(wait_of_short_requests_knows_medium_ones)
{
    for (int i = 0; i < 4; i++)
        push(i, 1, 4 * MS, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 8 * MS);
    push(4, 1, 40 * MS, 0);
    schedule.balance = 1;
    ck_assert_ptr_eq(schedule_take(&schedule, SCHEDULE_FOR_MEDIUM),
                     &entries[4]);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 16 * MS);
}
END_TEST

START_TEST(wait_of_medium_requests_shares_with_short_ones)
{
    start(DELAY, 3);
    push(0, 1, 30 * MS, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 30 * MS), 10 * MS);
    push(1, 1, MS, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 30 * MS), 15 * MS);
}
END_TEST

/* Another address waits for the first of the many, not for all of them. */
START_TEST(wait_depends_on_the_address)
{
    for (int i = 0; i < 20; i++)
        push(i, 1, 4 * MS, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 40 * MS);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 2, MS), 2 * MS);
}
END_TEST

/* Each new request takes away one of 64 parts of the sums: cost and time that
 * are 4 ms at the start become 3.9375 + 4 ms and 3.9375 + 20 ms. */
START_TEST(wait_learns_the_speed)
{
    run(0, 4 * MS);
    schedule_done(&schedule, &entries[0], 20 * MS);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_SHORT].done_cost, 7937500);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_SHORT].done_ns, 23937500);
    push(1, 1, 1024, 0);
    push(2, 1, 1024, 0);
    /* 23937500 * 1024 / 7937500 = 3088 ns for each 1024, on two threads. */
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 3088);
}
END_TEST

START_TEST(wait_does_not_believe_in_any_speed)
{
    run(0, 1);
    schedule_done(&schedule, &entries[0], UINT64_C(1) << 50);
    push(1, 1, 1024, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 64 * 1024 / 2);
    set_up();
    for (int i = 0; i < 200; i++) {
        run(0, 4 * MS);
        schedule_done(&schedule, &entries[0], 0);
    }
    push(1, 1, 1024, 0);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, MS), 64 / 2);
}
END_TEST
START_TEST(shed_refuses_nobody_in_time)
{
    for (int i = 0; i < 4; i++)
        push(i, 1, 50 * MS, 7);
    ck_assert_ptr_null(schedule_shed(&schedule, 7 + DELAY));
}
END_TEST

/* The oldest may wait on: who came last to the longest queue may not. */
START_TEST(shed_takes_the_newest_while_the_queue_stands)
{
    for (int i = 0; i < 3; i++)
        push(i, 1, 50 * MS, (uint64_t)i);
    push(3, 2, 50 * MS, 3);
    ck_assert_ptr_eq(schedule_shed(&schedule, DELAY + 1), &entries[2]);
    ck_assert_int_eq(entries[2].lane, -1);
    ck_assert_uint_eq(schedule.waiting, 3);
    ck_assert_ptr_eq(schedule_shed(&schedule, DELAY + 1), &entries[1]);
    /* What is left can be done in 100 ms. */
    ck_assert_ptr_null(schedule_shed(&schedule, DELAY + 1));
    ck_assert_ptr_null(schedule_shed(&schedule, 2 * DELAY));
}
END_TEST

START_TEST(shed_refuses_after_twice_the_delay_at_any_rate)
{
    push(0, 1, MS, 0);
    push(1, 1, MS, 1);
    ck_assert_ptr_null(schedule_shed(&schedule, 2 * DELAY));
    ck_assert_ptr_eq(schedule_shed(&schedule, 2 * DELAY + 1), &entries[0]);
    ck_assert_ptr_null(schedule_shed(&schedule, 2 * DELAY + 1));
    ck_assert_ptr_eq(schedule_shed(&schedule, 2 * DELAY + 2), &entries[1]);
}
END_TEST

/* The older one is longer, and may wait 400 ms. */
START_TEST(shed_finds_who_is_overdue_behind_a_longer_one)
{
    start(DELAY, 2);
    push(0, 1, 200 * MS, 0);
    push(1, 1, 60 * MS, 1);
    ck_assert_ptr_null(schedule_shed(&schedule, 2 * DELAY + 1));
    ck_assert_ptr_eq(schedule_shed(&schedule, 2 * DELAY + 2), &entries[1]);
    ck_assert_ptr_null(schedule_shed(&schedule, 400 * MS));
    ck_assert_ptr_eq(schedule_shed(&schedule, 400 * MS + 1), &entries[0]);
}
END_TEST

START_TEST(shed_looks_at_every_lane)
{
    push(0, 1, 20 * MS, 0);
    push(1, 1, 150 * MS, 0);
    ck_assert_ptr_eq(schedule_shed(&schedule, 2 * DELAY + 1), &entries[0]);
    ck_assert_ptr_null(schedule_shed(&schedule, 300 * MS));
    ck_assert_ptr_eq(schedule_shed(&schedule, 300 * MS + 1), &entries[1]);
}
END_TEST

START_TEST(shed_without_a_delay_refuses_nobody)
{
    start(0, 1);
    push(0, 1, MS, 0);
    ck_assert_ptr_null(schedule_shed(&schedule, UINT64_MAX));
}
END_TEST

SUITE_WITH(
    "schedule_wait", set_up, NULL, TEST(wait_is_none_while_a_thread_is_free),
    TEST(wait_counts_running_work_half), TEST(wait_is_divided_among_threads),
    TEST(wait_of_short_requests_knows_medium_ones),
    TEST(wait_of_medium_requests_shares_with_short_ones),
    TEST(wait_depends_on_the_address), TEST(wait_learns_the_speed),
    TEST(wait_does_not_believe_in_any_speed), TEST(shed_refuses_nobody_in_time),
    TEST(shed_takes_the_newest_while_the_queue_stands),
    TEST(shed_refuses_after_twice_the_delay_at_any_rate),
    TEST(shed_finds_who_is_overdue_behind_a_longer_one),
    TEST(shed_looks_at_every_lane), TEST(shed_without_a_delay_refuses_nobody))
