
#include "tests/server/work/queue_case.h"
#include "tests/unit.h"

UNIT_TEST(wait_is_none_while_a_thread_is_free)
{
    ck_assert_uint_eq(wait_of(1, MS), 0);
    run(0, 2 * MS);
    ck_assert_uint_eq(wait_of(1, MS), 0);
    ck_assert_uint_eq(wait_of(1, 60 * MS), 0);
}

UNIT_TEST(wait_counts_running_work_half)
{
    run(0, 60 * MS);
    ck_assert_uint_eq(wait_of(1, 60 * MS), 30 * MS);
    push(1, 1, 80 * MS, 0);
    ck_assert_uint_eq(wait_of(1, 60 * MS), 110 * MS);
    ck_assert_uint_eq(wait_of(1, MS), 0); /* other lane */
}

UNIT_TEST(wait_is_divided_among_threads)
{
    start(DELAY, 3);
    for (int i = 0; i < 3; i++)
        run(i, 60 * MS);
    for (int i = 3; i < 6; i++)
        push(i, 1, 60 * MS, 0);
    ck_assert_uint_eq(wait_of(1, 60 * MS), (3 * 60 + 90) * MS / 3);
}

/* Two threads for short requests, one while the other has a medium one. */
UNIT_TEST(wait_of_short_requests_knows_medium_ones)
{
    for (int i = 0; i < 4; i++)
        push(i, 1, 4 * MS, 0);
    ck_assert_uint_eq(wait_of(1, MS), 8 * MS);
    push(4, 1, 40 * MS, 0);
    queue.balance = 1;
    ck_assert_ptr_eq(queue_take(&queue, LANE_MEDIUM), &items[4]);
    ck_assert_uint_eq(wait_of(1, MS), 16 * MS);
}

UNIT_TEST(wait_of_medium_requests_shares_with_short_ones)
{
    start(DELAY, 3);
    push(0, 1, 30 * MS, 0);
    ck_assert_uint_eq(wait_of(1, 30 * MS), 10 * MS);
    push(1, 1, MS, 0);
    ck_assert_uint_eq(wait_of(1, 30 * MS), 15 * MS); /* two threads */
    start(DELAY, 2);
    push(0, 1, 30 * MS, 0);
    push(1, 1, MS, 0);
    ck_assert_uint_eq(wait_of(1, 30 * MS), 30 * MS); /* one */
}

/* Another address waits for the first of the many, not for all of them. */
UNIT_TEST(wait_depends_on_the_address)
{
    for (int i = 0; i < 20; i++)
        push(i, 1, 4 * MS, 0);
    ck_assert_uint_eq(wait_of(1, MS), 40 * MS);
    ck_assert_uint_eq(wait_of(2, MS), 2 * MS);
}

/* Each new request takes away one of 64 parts of the sums: cost and time that
 * are 4 ms at the start become 3.9375 + 4 ms and 3.9375 + 20 ms. */
UNIT_TEST(wait_learns_the_speed)
{
    run(0, 4 * MS);
    queue_done(&queue, &items[0], 20 * MS);
    ck_assert_uint_eq(queue.lanes[LANE_SHORT].done_cost, 7937500);
    ck_assert_uint_eq(queue.lanes[LANE_SHORT].done_ns, 23937500);
    ck_assert_uint_eq(queue.lanes[LANE_SHORT].longer, 0);
    push(1, 1, 1024, 0);
    push(2, 1, 1024, 0);
    /* 23937500 * 1024 / 7937500 = 3088 ns for each 1024, on two threads. */
    ck_assert_uint_eq(wait_of(1, MS), 3088);
}

UNIT_TEST(wait_does_not_believe_in_any_speed)
{
    run(0, 1);
    queue_done(&queue, &items[0], UINT64_C(1) << 50);
    push(1, 1, 1024, 0);
    ck_assert_uint_eq(wait_of(1, MS), 64 * 1024 / 2);
    set_up();
    for (int i = 0; i < 200; i++) {
        run(0, 4 * MS);
        queue_done(&queue, &items[0], 0);
    }
    push(1, 1, 1024, 0);
    ck_assert_uint_eq(wait_of(1, MS), 64 / 2);
}

/* However much work waits with them. */
UNIT_TEST(shed_refuses_nobody_in_time)
{
    for (int i = 0; i < 4; i++)
        push(i, 1, 50 * MS, 7);
    ck_assert_ptr_null(queue_shed(&queue, 7 + 2 * DELAY));
    ck_assert_uint_eq(queue.waiting, 4);
}

UNIT_TEST(shed_refuses_after_twice_the_delay_at_any_rate)
{
    push(0, 1, MS, 0);
    push(1, 1, MS, 1);
    ck_assert_ptr_null(queue_shed(&queue, 2 * DELAY));
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 1), &items[0]);
    ck_assert_ptr_null(queue_shed(&queue, 2 * DELAY + 1));
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 2), &items[1]);
}

/* The older one is longer, and may wait 400 ms. */
UNIT_TEST(shed_finds_who_is_overdue_behind_a_longer_one)
{
    start(DELAY, 2);
    push(0, 1, 200 * MS, 0);
    push(1, 1, 60 * MS, 1);
    ck_assert_ptr_null(queue_shed(&queue, 2 * DELAY + 1));
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 2), &items[1]);
    ck_assert_ptr_null(queue_shed(&queue, 400 * MS));
    ck_assert_ptr_eq(queue_shed(&queue, 400 * MS + 1), &items[0]);
}

UNIT_TEST(shed_looks_at_every_lane)
{
    push(0, 1, 20 * MS, 0);
    push(1, 1, 150 * MS, 0);
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 1), &items[0]);
    ck_assert_ptr_null(queue_shed(&queue, 300 * MS));
    ck_assert_ptr_eq(queue_shed(&queue, 300 * MS + 1), &items[1]);
}

UNIT_TEST(shed_without_a_delay_refuses_nobody)
{
    start(0, 1);
    push(0, 1, MS, 0);
    ck_assert_ptr_null(queue_shed(&queue, UINT64_MAX));
}

/* Who may wait. */

static enum queue_verdict check_for(uint32_t address, uint64_t cost, bool begun,
                                    uint64_t now_ns)
{
    struct queue_item item = {.cost = cost, .address = address};

    return queue_check(&queue, &item, begun, now_ns);
}

static enum queue_verdict check(uint64_t cost, bool begun)
{
    return check_for(1, cost, begun, 0);
}

UNIT_TEST(check_refuses_above_the_delay)
{
    for (int i = 0; i < 4; i++)
        push(i, 1, 50 * MS, 0);
    /* Two are 100 ms: the third may still wait. */
    ck_assert_int_eq(check(50 * MS, true), QUEUE_OK);
    ck_assert_int_eq(check(50 * MS, false), QUEUE_LATE);
    push(4, 1, 5 * MS, 0);
    ck_assert_int_eq(check(50 * MS, true), QUEUE_LATE); /* twice the delay */
    queue_remove(&queue, &items[4]);
    queue_remove(&queue, &items[3]);
    queue_remove(&queue, &items[2]);
    ck_assert_int_eq(check(50 * MS, false), QUEUE_OK);
    push(2, 1, 5 * MS, 0);
    ck_assert_int_eq(check(50 * MS, false), QUEUE_LATE);
}

UNIT_TEST(check_allows_a_long_request_its_own_time)
{
    run(0, 1000 * MS);
    ck_assert_int_eq(check(499 * MS, false), QUEUE_LATE);
    ck_assert_int_eq(check(500 * MS, false), QUEUE_OK);
}

static enum queue_verdict check_at(uint64_t now_ns)
{
    return check_for(1, MS, false, now_ns);
}

static void remove_from(int i)
{
    while (queue_remove(&queue, &items[i]))
        i++;
}

static void push_many(int from, int to)
{
    for (int i = from; i < to; i++)
        push(i, 1, 4 * MS, 0);
}

static void refuse_at(uint64_t now_ns)
{
    push(29, 1, 4 * MS, 0);
    queue.lanes[LANE_SHORT].cost += 300 * MS;
    ck_assert_int_eq(check_at(now_ns), QUEUE_LATE);
    queue.lanes[LANE_SHORT].cost -= 300 * MS;
    queue_remove(&queue, &items[29]);
}

/* After a refusal new requests may wait 5 ms, until none waits. The thread for
 * short requests and the worker share the lane. */
UNIT_TEST(check_ends_a_queue_that_stands)
{
    push_many(0, 20);
    ck_assert_int_eq(check_at(DELAY), QUEUE_OK); /* 40 ms */
    refuse_at(DELAY + 1);
    ck_assert_int_eq(check_at(DELAY + 2), QUEUE_LATE);
    ck_assert_int_eq(check_for(1, MS, true, DELAY + 2),
                     QUEUE_OK); /* work was done for it */
    ck_assert_int_eq(check_for(2, MS, false, DELAY + 2),
                     QUEUE_OK); /* another address */
    ck_assert_int_eq(check_for(1, 20 * MS, false, DELAY + 2),
                     QUEUE_OK); /* another lane */
    remove_from(3);
    ck_assert_int_eq(check_at(DELAY + 3), QUEUE_LATE); /* 6 ms */
    remove_from(2);
    ck_assert_int_eq(check_at(DELAY + 4), QUEUE_OK); /* 4 ms */
}

UNIT_TEST(check_remembers_a_refusal)
{
    const uint64_t part = DELAY / 20;

    refuse_at(DELAY);
    ck_assert_int_eq(check_at(DELAY + 1), QUEUE_OK); /* none waits */
    push_many(0, 3);
    ck_assert_int_eq(check_at(DELAY + 1 + part), QUEUE_OK);
    ck_assert_int_eq(check_at(DELAY + 2 + part), QUEUE_LATE);
    ck_assert_int_eq(check_at(11 * DELAY + 1 + part), QUEUE_LATE);
    remove_from(0);
    push_many(0, 2);
    ck_assert_int_eq(check_at(20 * DELAY), QUEUE_OK); /* 4 ms */
    push_many(2, 3);
    ck_assert_int_eq(check_at(21 * DELAY + part), QUEUE_LATE);
    ck_assert_int_eq(check_at(32 * DELAY), QUEUE_OK);
    set_up();
    push_many(0, 3);
    ck_assert_int_eq(check_at(21 * DELAY), QUEUE_OK); /* none was refused */
}

/* Where most requests turn out longer, those that follow wait in the next lane
 * too, behind 160 ms of work here. */
UNIT_TEST(check_looks_where_most_requests_go_on)
{
    for (int i = 0; i < 3; i++)
        push(i, 1, 50 * MS, 0);
    push(3, 1, 10 * MS, 0);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(check(MS, false), queue.lanes[LANE_SHORT].longer > 512
                                               ? QUEUE_LATE
                                               : QUEUE_OK);
        push(4, 1, MS, 0);
        ck_assert_ptr_eq(queue_take(&queue, LANE_SHORT), &items[4]);
        queue_pause(&queue, &items[4]);
    }
    ck_assert_uint_gt(queue.lanes[LANE_SHORT].longer, 512);
    ck_assert_int_eq(check(MS, true), QUEUE_OK);
    ck_assert_int_eq(check_for(2, MS, false, 0),
                     QUEUE_OK); /* its turn comes before */
    for (int i = 0; i < 100; i++) {
        push(4, 1, MS, 0);
        ck_assert_ptr_eq(queue_take(&queue, LANE_SHORT), &items[4]);
        queue_done(&queue, &items[4], MS);
    }
    ck_assert_int_eq(check(MS, false), QUEUE_OK);
}

UNIT_TEST(check_knows_a_full_queue)
{
    start(0, 1);
    for (int i = 0; i < WAITING; i++) {
        ck_assert_int_eq(check(1000 * MS, false),
                         QUEUE_OK); /* without a delay, nobody is late */
        push(i, 1, 1000 * MS, 0);
    }
    ck_assert_int_eq(check(MS, false), QUEUE_FULL);
    queue_remove(&queue, &items[0]);
    ck_assert_int_eq(check(MS, false), QUEUE_OK);
}

FIXTURE(set_up, NULL)
