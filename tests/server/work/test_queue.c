
#include "tests/server/work/queue_case.h"
#include "tests/unit.h"

static void add(int i, uint32_t address, uint64_t cost)
{
    push(i, address, cost, 0);
}

/* The number of the item; -1 if there is none. */
static int take(enum lane thread)
{
    struct queue_item *item = queue_take(&queue, thread);

    return item ? (int)(item - items) : -1;
}

UNIT_TEST(queue_lanes_have_their_costs)
{
    ck_assert_int_eq(queue_lane_of(0), LANE_SHORT);
    ck_assert_int_eq(queue_lane_of(4 * MS), LANE_SHORT);
    ck_assert_int_eq(queue_lane_of(4 * MS + 1), LANE_MEDIUM);
    ck_assert_int_eq(queue_lane_of(50 * MS), LANE_MEDIUM);
    ck_assert_int_eq(queue_lane_of(50 * MS + 1), LANE_LONG);
    ck_assert_int_eq(queue_lane_of(UINT64_MAX), LANE_LONG);
}

static const struct {
    enum lane thread;
    bool takes[LANES];
} threads[] = {
    {LANE_SHORT, {true, false, false}},
    {LANE_MEDIUM, {true, true, false}},
    {LANE_LONG, {false, false, true}},
};

LOOP_TEST(queue_thread_takes_its_lanes_only, 3)
{
    static const uint64_t costs[LANES] = {MS, 20 * MS, 500 * MS};

    for (int lane = 0; lane < LANES; lane++) {
        set_up();
        add(0, 1, costs[lane]);
        ck_assert_int_eq(items[0].lane, lane);
        ck_assert_int_eq(queue_has_work(&queue, threads[_i].thread),
                         threads[_i].takes[lane]);
        ck_assert_int_eq(take(threads[_i].thread),
                         threads[_i].takes[lane] ? 0 : -1);
        ck_assert_uint_eq(queue.waiting, threads[_i].takes[lane] ? 0 : 1);
        ck_assert_int_eq(queue.lanes[lane].running, threads[_i].takes[lane]);
    }
}

/* 0 and less is the turn of a short one. */
UNIT_TEST(queue_medium_threads_share_their_time)
{
    static const int order[] = {0, 1, 2, 3, 4, 5, 7, 6};
    static const uint64_t costs[] = {4 * MS, 6 * MS, 4 * MS, 6 * MS,
                                     4 * MS, 4 * MS, 4 * MS, 6 * MS};

    for (int i = 0; i < 8; i++)
        add(i, 1, costs[i]);
    /* The balance after each: 4, -2, 2, -4, 0, 4, -2, then 0. */
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(take(LANE_MEDIUM), order[i]);
    ck_assert_int_eq(take(LANE_MEDIUM), -1);
}

UNIT_TEST(queue_balance_starts_anew_when_a_lane_is_empty)
{
    add(0, 1, 4 * MS);
    add(1, 1, 50 * MS);
    ck_assert_int_eq(take(LANE_MEDIUM), 0);
    ck_assert_int_eq(take(LANE_MEDIUM), 1);
    add(3, 1, MS);
    ck_assert_int_eq(take(LANE_MEDIUM), 3);
    ck_assert_int_eq(queue.balance, 0);
}

UNIT_TEST(queue_counts_running_requests)
{
    run(0, 60 * MS);
    run(1, 70 * MS);
    ck_assert_int_eq(queue.lanes[LANE_LONG].running, 2);
    ck_assert_uint_eq(queue.lanes[LANE_LONG].running_cost, 130 * MS);
    queue_done(&queue, &items[0], 1);
    queue_pause(&queue, &items[1]);
    ck_assert_int_eq(queue.lanes[LANE_LONG].running, 0);
    ck_assert_uint_eq(queue.lanes[LANE_LONG].running_cost, 0);
    ck_assert_int_eq(items[0].place, QUEUE_NONE);
    ck_assert_int_eq(items[1].place, QUEUE_NONE);
}

UNIT_TEST(queue_paused_request_waits_in_another_lane)
{
    add(0, 1, MS);
    ck_assert_int_eq(take(LANE_SHORT), 0);
    queue_pause(&queue, &items[0]);
    items[0].cost = 60 * MS;
    queue_push(&queue, &items[0], 5);
    ck_assert_uint_eq(items[0].queued_ns, 5);
    ck_assert_int_eq(take(LANE_MEDIUM), -1);
    ck_assert_int_eq(take(LANE_LONG), 0);
}

UNIT_TEST(queue_remove_is_for_waiting_items)
{
    add(0, 1, MS);
    add(1, 1, MS);
    ck_assert_int_eq(take(LANE_SHORT), 0);
    ck_assert(!queue_remove(&queue, &items[0])); /* it runs */
    ck_assert(queue_remove(&queue, &items[1]));
    ck_assert(!queue_remove(&queue, &items[1]));
    ck_assert_uint_eq(queue.waiting, 0);
    queue_done(&queue, &items[0], MS);
    ck_assert(!queue_remove(&queue, &items[0]));
}

/* Inside a lane. */

UNIT_TEST(queue_serves_an_address_in_order_of_arrival)
{
    for (int i = 0; i < 3; i++)
        add(i, 7, MS);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(take(LANE_SHORT), i);
    ck_assert_int_eq(take(LANE_SHORT), -1);
}

UNIT_TEST(queue_serves_addresses_in_rounds)
{
    static const int order[] = {0, 4, 5, 1, 6, 2, 3};

    for (int i = 0; i < 4; i++)
        add(i, 1, MS);
    add(4, 2, MS);
    add(5, 3, MS);
    add(6, 3, MS);
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(take(LANE_SHORT), order[i]);
}

UNIT_TEST(queue_addresses_with_one_hash_count_as_one)
{
    add(0, 1, MS);
    add(1, 1 + LANE_ADDRESSES, MS);
    add(2, 2, MS);
    ck_assert_uint_eq(queue.lanes[LANE_SHORT].address_count, 2);
    ck_assert_int_eq(take(LANE_SHORT), 0);
    ck_assert_int_eq(take(LANE_SHORT), 2);
    ck_assert_int_eq(take(LANE_SHORT), 1);
}

UNIT_TEST(queue_counts_the_items_of_a_lane)
{
    const struct queue_lane *lane = &queue.lanes[LANE_SHORT];

    add(0, 1, 1);
    add(1, 2, 2);
    add(2, 2, 3);
    ck_assert_uint_eq(lane->count, 3);
    ck_assert_uint_eq(lane->address_count, 2);
    ck_assert_uint_eq(lane->cost, 1 + 2 + 3);
    ck_assert(queue_remove(&queue, &items[2]));
    ck_assert_uint_eq(lane->count, 2);
    ck_assert_uint_eq(lane->address_count, 2);
    ck_assert_uint_eq(lane->cost, 1 + 2);
    ck_assert(queue_remove(&queue, &items[1]));
    ck_assert_uint_eq(lane->address_count, 1);
    ck_assert_int_eq(items[1].place, QUEUE_NONE);
    ck_assert_int_eq(items[0].place, QUEUE_WAITING);
}

/* The first item of an address uses up its place of the round, no other. */
UNIT_TEST(queue_removal_in_the_middle_keeps_the_round)
{
    for (int i = 0; i < 3; i++)
        add(i, 1, MS);
    add(3, 2, MS);
    ck_assert(queue_remove(&queue, &items[1]));
    ck_assert_int_eq(take(LANE_SHORT), 0);
    ck_assert_int_eq(take(LANE_SHORT), 3);
    ck_assert_int_eq(take(LANE_SHORT), 2);
}

UNIT_TEST(queue_keeps_the_order_of_ages)
{
    const struct queue_lane *lane = &queue.lanes[LANE_SHORT];

    add(0, 1, MS);
    add(1, 2, MS);
    add(2, 1, MS);
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_eq(TAILQ_FIRST(&lane->waiting), &items[i]);
        ck_assert(queue_remove(&queue, &items[i]));
    }
}

/* How many are served before a new one of the address. */
static uint64_t count_before(uint32_t address)
{
    return wait_of(address, 60 * MS) / (60 * MS);
}

UNIT_TEST(queue_wait_counts_who_is_served_first)
{
    start(0, 1);
    ck_assert_uint_eq(count_before(1), 0);
    for (int i = 0; i < 5; i++)
        add(i, 1, 60 * MS);
    ck_assert_uint_eq(count_before(1), 5);
    ck_assert_uint_eq(count_before(2), 1);
    add(5, 2, 60 * MS);
    ck_assert_uint_eq(count_before(2), 3); /* its own, and two of the other */
    ck_assert_uint_eq(count_before(3), 2);
    ck_assert_uint_eq(count_before(1), 6); /* no more than there are */
}

FIXTURE(set_up, NULL)
