#include <check.h>

#include "server/work/lane.h"
#include "tests/suite.h"

enum { ENTRIES = 12 };

static struct lane lane;
static struct schedule_entry entries[ENTRIES];

static void set_up(void)
{
    lane_init(&lane);
}

/* Entry `i` of an address, with the cost i + 1. */
static void push(int i, uint32_t address)
{
    entries[i] =
        (struct schedule_entry){.cost = (uint64_t)i + 1, .address = address};
    lane_push(&lane, &entries[i]);
}

/* Takes the first entry and returns its number; -1 if there is none. */
static int take(void)
{
    struct schedule_entry *first = lane_first(&lane);

    if (!first)
        return -1;
    lane_remove(&lane, first);
    return (int)(first - entries);
}

START_TEST(lane_serves_an_address_in_order_of_arrival)
{
    for (int i = 0; i < 3; i++)
        push(i, 7);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(take(), i);
    ck_assert_int_eq(take(), -1);
}
END_TEST

START_TEST(lane_takes_turns_among_addresses)
{
    static const int order[] = {0, 4, 5, 1, 6, 2, 3};

    for (int i = 0; i < 4; i++)
        push(i, 1);
    push(4, 2);
    push(5, 3);
    push(6, 3);
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(take(), order[i]);
}
END_TEST

START_TEST(lane_addresses_with_one_hash_share_a_turn)
{
    push(0, 1);
    push(1, 1 + LANE_TURNS);
    push(2, 2);
    ck_assert_uint_eq(lane.addresses, 2);
    ck_assert_int_eq(take(), 0);
    ck_assert_int_eq(take(), 2);
    ck_assert_int_eq(take(), 1);
}
END_TEST

START_TEST(lane_counts_its_entries)
{
    push(0, 1);
    push(1, 2);
    push(2, 2);
    ck_assert_uint_eq(lane.count, 3);
    ck_assert_uint_eq(lane.addresses, 2);
    ck_assert_uint_eq(lane.cost, 1 + 2 + 3);
    lane_remove(&lane, &entries[2]);
    ck_assert_uint_eq(lane.count, 2);
    ck_assert_uint_eq(lane.addresses, 2);
    ck_assert_uint_eq(lane.cost, 1 + 2);
    lane_remove(&lane, &entries[1]);
    ck_assert_uint_eq(lane.addresses, 1);
    ck_assert(!entries[1].waits && entries[0].waits);
}
END_TEST

/* The turn of an address is used up by its first entry, not by another. */
START_TEST(lane_removal_in_the_middle_keeps_the_turn)
{
    for (int i = 0; i < 3; i++)
        push(i, 1);
    push(3, 2);
    lane_remove(&lane, &entries[1]);
    ck_assert_int_eq(take(), 0);
    ck_assert_int_eq(take(), 3);
    ck_assert_int_eq(take(), 2);
}
END_TEST

START_TEST(lane_newest_is_of_the_address_with_the_most)
{
    for (int i = 0; i < 2; i++)
        push(i, 1);
    for (int i = 2; i < 5; i++)
        push(i, 2);
    push(5, 3); /* younger, but the only one of its address */
    ck_assert_ptr_eq(lane_newest(&lane), &entries[4]);
    lane_remove(&lane, &entries[4]);
    ck_assert_ptr_eq(lane_newest(&lane), &entries[1]);
}
END_TEST

START_TEST(lane_keeps_the_order_of_ages)
{
    push(0, 1);
    push(1, 2);
    push(2, 1);
    ck_assert_ptr_eq(TAILQ_FIRST(&lane.ages), &entries[0]);
    lane_remove(&lane, &entries[0]);
    ck_assert_ptr_eq(TAILQ_FIRST(&lane.ages), &entries[1]);
    lane_remove(&lane, &entries[1]);
    ck_assert_ptr_eq(TAILQ_FIRST(&lane.ages), &entries[2]);
}
END_TEST

START_TEST(lane_ahead_counts_what_is_served_first)
{
    ck_assert_uint_eq(lane_ahead(&lane, 1), 0);
    for (int i = 0; i < 5; i++)
        push(i, 1);
    ck_assert_uint_eq(lane_ahead(&lane, 1), 5);
    ck_assert_uint_eq(lane_ahead(&lane, 2), 1);
    push(5, 2);
    ck_assert_uint_eq(lane_ahead(&lane, 2), 3); /* its own, and two turns */
    ck_assert_uint_eq(lane_ahead(&lane, 3), 2);
    ck_assert_uint_eq(lane_ahead(&lane, 1), 6); /* no more than there are */
}
END_TEST

SUITE_WITH("lane", set_up, NULL,
           TEST(lane_serves_an_address_in_order_of_arrival),
           TEST(lane_takes_turns_among_addresses),
           TEST(lane_addresses_with_one_hash_share_a_turn),
           TEST(lane_counts_its_entries),
           TEST(lane_removal_in_the_middle_keeps_the_turn),
           TEST(lane_newest_is_of_the_address_with_the_most),
           TEST(lane_keeps_the_order_of_ages),
           TEST(lane_ahead_counts_what_is_served_first))
