/* A queue before one worker, that is, one thread of each lane, and items to
 * push into it. */
#include "server/work/queue.h"
#include "tests/unit.h"

enum { ITEMS = 40, WAITING = 30 };
#define MS UINT64_C(1000000)
#define DELAY (100 * MS)

static struct queue queue;
static struct queue_item items[ITEMS];

static void start(uint64_t max_delay_ns, int workers)
{
    const struct queue_settings settings = {.max_waiting = WAITING,
                                            .max_delay_ns = max_delay_ns,
                                            .workers = workers};

    queue_init(&queue, &settings);
}

static void set_up(void)
{
    start(DELAY, 1);
}

static void push(int i, uint32_t address, uint64_t cost, uint64_t now_ns)
{
    items[i] = (struct queue_item){.cost = cost, .address = address};
    queue_push(&queue, &items[i], now_ns);
}

static void run(int i, uint64_t cost)
{
    push(i, 1, cost, 0);
    ck_assert_ptr_eq(queue_take(&queue, queue_lane_of(cost)), &items[i]);
}

/* How long such a request would wait. */
static uint64_t wait_of(uint32_t address, uint64_t cost)
{
    struct queue_item item = {.cost = cost, .address = address};

    queue_check(&queue, &item, true, 0);
    return item.wait_ns;
}

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
UNIT_TEST(queue_medium_threads_share_their_time_until_a_lane_is_empty)
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
    set_up();
    add(0, 1, 4 * MS);
    add(1, 1, 50 * MS);
    ck_assert_int_eq(take(LANE_MEDIUM), 0);
    ck_assert_int_eq(take(LANE_MEDIUM), 1);
    add(3, 1, MS);
    ck_assert_int_eq(take(LANE_MEDIUM), 3);
    ck_assert_int_eq(queue.balance, 0);
}

UNIT_TEST(queue_counts_running_requests_and_a_paused_one_waits_in_another_lane)
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
    set_up();
    add(0, 1, MS);
    ck_assert_int_eq(take(LANE_SHORT), 0);
    queue_pause(&queue, &items[0]);
    items[0].cost = 60 * MS;
    queue_push(&queue, &items[0], 5);
    ck_assert_uint_eq(items[0].queued_ns, 5);
    ck_assert_int_eq(take(LANE_MEDIUM), -1);
    ck_assert_int_eq(take(LANE_LONG), 0);
    set_up();
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

static void serves(const int *order, int count)
{
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(take(LANE_SHORT), order[i]);
}

UNIT_TEST(queue_serves_addresses_in_rounds_and_those_of_one_hash_as_one)
{
    static const int order[] = {0, 4, 5, 1, 6, 2, 3};

    for (int i = 0; i < 4; i++)
        add(i, 1, MS);
    add(4, 2, MS);
    add(5, 3, MS);
    add(6, 3, MS);
    serves(order, 7);
    set_up();
    add(0, 1, MS);
    add(1, 1 + LANE_ADDRESSES, MS);
    add(2, 2, MS);
    ck_assert_uint_eq(queue.lanes[LANE_SHORT].address_count, 2);
    serves((const int[]){0, 2, 1}, 3);
}

static void has_short(size_t count, size_t addresses, uint64_t cost)
{
    const struct queue_lane *lane = &queue.lanes[LANE_SHORT];

    ck_assert_uint_eq(lane->count, count);
    ck_assert_uint_eq(lane->address_count, addresses);
    ck_assert_uint_eq(lane->cost, cost);
}

UNIT_TEST(queue_counts_the_items_of_a_lane)
{
    add(0, 1, 1);
    add(1, 2, 2);
    add(2, 2, 3);
    has_short(3, 2, 1 + 2 + 3);
    ck_assert(queue_remove(&queue, &items[2]));
    has_short(2, 2, 1 + 2);
    ck_assert(queue_remove(&queue, &items[1]));
    has_short(1, 1, 1);
    ck_assert_int_eq(items[1].place, QUEUE_NONE);
    ck_assert_int_eq(items[0].place, QUEUE_WAITING);
}

/* The first item of an address uses up its place of the round, no other. */
UNIT_TEST(queue_removal_keeps_the_round_and_the_order_of_ages)
{
    const struct queue_lane *lane = &queue.lanes[LANE_SHORT];

    for (int i = 0; i < 3; i++)
        add(i, 1, MS);
    add(3, 2, MS);
    ck_assert(queue_remove(&queue, &items[1]));
    serves((const int[]){0, 3, 2}, 3);
    set_up();
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

UNIT_TEST(wait_is_none_while_a_thread_is_free_and_counts_running_work_half)
{
    ck_assert_uint_eq(wait_of(1, MS), 0);
    run(0, 2 * MS);
    ck_assert_uint_eq(wait_of(1, MS), 0);
    ck_assert_uint_eq(wait_of(1, 60 * MS), 0);
    set_up();
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
    set_up();
    for (int i = 0; i < 20; i++)
        push(i, 1, 4 * MS, 0);
    ck_assert_uint_eq(wait_of(1, MS), 40 * MS);
    /* Another address waits for the first of the many, not for all. */
    ck_assert_uint_eq(wait_of(2, MS), 2 * MS);
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

/* Each new request takes away one of 64 parts of the sums: cost and time that
 * are 4 ms at the start become 3.9375 + 4 ms and 3.9375 + 20 ms. */
UNIT_TEST(wait_learns_the_speed_but_does_not_believe_in_any)
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
    set_up();
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
UNIT_TEST(shed_refuses_nobody_in_time_but_after_twice_the_delay_at_any_rate)
{
    for (int i = 0; i < 4; i++)
        push(i, 1, 50 * MS, 7);
    ck_assert_ptr_null(queue_shed(&queue, 7 + 2 * DELAY));
    ck_assert_uint_eq(queue.waiting, 4);
    set_up();
    push(0, 1, MS, 0);
    push(1, 1, MS, 1);
    ck_assert_ptr_null(queue_shed(&queue, 2 * DELAY));
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 1), &items[0]);
    ck_assert_ptr_null(queue_shed(&queue, 2 * DELAY + 1));
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 2), &items[1]);
    start(0, 1); /* without a delay nobody is refused */
    push(0, 1, MS, 0);
    ck_assert_ptr_null(queue_shed(&queue, UINT64_MAX));
}

/* The older one is longer, and may wait 400 ms. */
UNIT_TEST(shed_finds_who_is_overdue_behind_a_longer_one_and_in_every_lane)
{
    start(DELAY, 2);
    push(0, 1, 200 * MS, 0);
    push(1, 1, 60 * MS, 1);
    ck_assert_ptr_null(queue_shed(&queue, 2 * DELAY + 1));
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 2), &items[1]);
    ck_assert_ptr_null(queue_shed(&queue, 400 * MS));
    ck_assert_ptr_eq(queue_shed(&queue, 400 * MS + 1), &items[0]);
    set_up();
    push(0, 1, 20 * MS, 0);
    push(1, 1, 150 * MS, 0);
    ck_assert_ptr_eq(queue_shed(&queue, 2 * DELAY + 1), &items[0]);
    ck_assert_ptr_null(queue_shed(&queue, 300 * MS));
    ck_assert_ptr_eq(queue_shed(&queue, 300 * MS + 1), &items[1]);
}

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

UNIT_TEST(check_refuses_above_the_delay_but_allows_a_long_request_its_own_time)
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
    set_up();
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
UNIT_TEST(check_looks_where_most_requests_go_on_and_knows_a_full_queue)
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
