#include <check.h>

#include "server/work/schedule.h"
#include "tests/suite.h"

enum { ENTRIES = 12, MS = 1000000 };

static struct schedule schedule;
static struct schedule_entry entries[ENTRIES];

static void set_up(void)
{
    const struct schedule_settings settings = {.max_waiting = 8, .workers = 2};

    schedule_init(&schedule, &settings);
}

static void push(int i, uint32_t address, uint64_t cost)
{
    schedule_entry_init(&entries[i]);
    entries[i].address = address;
    entries[i].cost = cost;
    schedule_push(&schedule, &entries[i], 0);
}

static int take(enum schedule_kind kind)
{
    struct schedule_entry *entry = schedule_take(&schedule, kind);

    return entry ? (int)(entry - entries) : -1;
}

START_TEST(schedule_lanes_have_their_costs)
{
    ck_assert_int_eq(schedule_lane_of(0), SCHEDULE_SHORT);
    ck_assert_int_eq(schedule_lane_of(4 * MS), SCHEDULE_SHORT);
    ck_assert_int_eq(schedule_lane_of(4 * MS + 1), SCHEDULE_MEDIUM);
    ck_assert_int_eq(schedule_lane_of(50 * MS), SCHEDULE_MEDIUM);
    ck_assert_int_eq(schedule_lane_of(50 * MS + 1), SCHEDULE_LONG);
    ck_assert_int_eq(schedule_lane_of(UINT64_MAX), SCHEDULE_LONG);
}
END_TEST

static const struct {
    enum schedule_kind kind;
    bool takes[SCHEDULE_LANES];
} kinds[] = {
    {SCHEDULE_FOR_SHORT, {true, false, false}},
    {SCHEDULE_FOR_MEDIUM, {true, true, false}},
    {SCHEDULE_FOR_LONG, {false, false, true}},
};

START_TEST(schedule_kind_takes_its_lanes_only)
{
    static const uint64_t costs[SCHEDULE_LANES] = {MS, 20 * MS, 500 * MS};

    for (int lane = 0; lane < SCHEDULE_LANES; lane++) {
        set_up();
        push(0, 1, costs[lane]);
        ck_assert_int_eq(entries[0].lane, lane);
        ck_assert_int_eq(schedule_has_work(&schedule, kinds[_i].kind),
                         kinds[_i].takes[lane]);
        ck_assert_int_eq(take(kinds[_i].kind), kinds[_i].takes[lane] ? 0 : -1);
        ck_assert_uint_eq(schedule.waiting, kinds[_i].takes[lane] ? 0 : 1);
        ck_assert_int_eq(schedule.lanes[lane].running, kinds[_i].takes[lane]);
    }
}
END_TEST

/* 0 and less is the turn of a short one. */
START_TEST(schedule_medium_threads_share_their_time)
{
    static const int order[] = {0, 1, 2, 3, 4, 5, 7, 6};
    static const uint64_t costs[] = {4 * MS, 6 * MS, 4 * MS, 6 * MS,
                                     4 * MS, 4 * MS, 4 * MS, 6 * MS};

    for (int i = 0; i < 8; i++)
        push(i, 1, costs[i]);
    /* The balance after each: 4, -2, 2, -4, 0, 4, -2, then 0. */
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(take(SCHEDULE_FOR_MEDIUM), order[i]);
    ck_assert_int_eq(take(SCHEDULE_FOR_MEDIUM), -1);
}
END_TEST

START_TEST(schedule_balance_starts_anew_when_a_lane_is_empty)
{
    push(0, 1, 4 * MS);
    push(1, 1, 50 * MS);
    ck_assert_int_eq(take(SCHEDULE_FOR_MEDIUM), 0);
    ck_assert_int_eq(take(SCHEDULE_FOR_MEDIUM), 1);
    push(3, 1, MS);
    ck_assert_int_eq(take(SCHEDULE_FOR_MEDIUM), 3);
    ck_assert_int_eq(schedule.balance, 0);
}
END_TEST

START_TEST(schedule_counts_running_requests)
{
    push(0, 1, 60 * MS);
    push(1, 1, 70 * MS);
    ck_assert_int_eq(take(SCHEDULE_FOR_LONG), 0);
    ck_assert_int_eq(take(SCHEDULE_FOR_LONG), 1);
    ck_assert_int_eq(schedule.lanes[SCHEDULE_LONG].running, 2);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_LONG].running_cost, 130 * MS);
    schedule_done(&schedule, &entries[0], 1);
    schedule_pause(&schedule, &entries[1]);
    ck_assert_int_eq(schedule.lanes[SCHEDULE_LONG].running, 0);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_LONG].running_cost, 0);
    ck_assert_int_eq(entries[0].lane, -1);
    ck_assert_int_eq(entries[1].lane, -1);
}
END_TEST

START_TEST(schedule_paused_request_waits_in_another_lane)
{
    push(0, 1, MS);
    ck_assert_int_eq(take(SCHEDULE_FOR_SHORT), 0);
    schedule_pause(&schedule, &entries[0]);
    entries[0].cost = 60 * MS;
    schedule_push(&schedule, &entries[0], 5);
    ck_assert_uint_eq(entries[0].queued_ns, 5);
    ck_assert_int_eq(take(SCHEDULE_FOR_MEDIUM), -1);
    ck_assert_int_eq(take(SCHEDULE_FOR_LONG), 0);
}
END_TEST

START_TEST(schedule_remove_is_for_waiting_entries)
{
    push(0, 1, MS);
    push(1, 1, MS);
    ck_assert_int_eq(take(SCHEDULE_FOR_SHORT), 0);
    ck_assert(!schedule_remove(&schedule, &entries[0])); /* it runs */
    ck_assert(schedule_remove(&schedule, &entries[1]));
    ck_assert(!schedule_remove(&schedule, &entries[1]));
    ck_assert_uint_eq(schedule.waiting, 0);
    schedule_done(&schedule, &entries[0], MS);
    ck_assert(!schedule_remove(&schedule, &entries[0]));
}
END_TEST

SUITE_WITH("schedule", set_up, NULL, TEST(schedule_lanes_have_their_costs),
           LOOP(schedule_kind_takes_its_lanes_only, 3),
           TEST(schedule_medium_threads_share_their_time),
           TEST(schedule_balance_starts_anew_when_a_lane_is_empty),
           TEST(schedule_counts_running_requests),
           TEST(schedule_paused_request_waits_in_another_lane),
           TEST(schedule_remove_is_for_waiting_entries))
