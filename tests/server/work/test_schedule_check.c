#include <check.h>

#include "tests/server/work/one_worker.h"
#include "tests/suite.h"

static enum schedule_verdict check(uint64_t cost, bool paid)
{
    return schedule_check(&schedule, 1, cost, paid, 0);
}

START_TEST(check_refuses_above_the_delay)
{
    for (int i = 0; i < 4; i++)
        push(i, 1, 50 * MS, 0);
    /* Two are 100 ms: the third may still wait. */
    ck_assert_int_eq(check(50 * MS, true), SCHEDULE_OK);
    ck_assert_int_eq(check(50 * MS, false), SCHEDULE_LATE);
    schedule_remove(&schedule, &entries[3]);
    schedule_remove(&schedule, &entries[2]);
    ck_assert_int_eq(check(50 * MS, false), SCHEDULE_OK);
    push(2, 1, 5 * MS, 0);
    ck_assert_int_eq(check(50 * MS, false), SCHEDULE_LATE);
}
END_TEST

START_TEST(check_allows_a_long_request_its_own_time)
{
    run(0, 1000 * MS);
    ck_assert_int_eq(check(499 * MS, false), SCHEDULE_LATE);
    ck_assert_int_eq(check(500 * MS, false), SCHEDULE_OK);
}
END_TEST

static enum schedule_verdict check_at(uint64_t now_ns)
{
    return schedule_check(&schedule, 1, MS, false, now_ns);
}

static void remove_from(int i)
{
    while (schedule_remove(&schedule, &entries[i]))
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
    schedule.lanes[SCHEDULE_SHORT].waiting.cost += 300 * MS;
    ck_assert_int_eq(check_at(now_ns), SCHEDULE_LATE);
    schedule.lanes[SCHEDULE_SHORT].waiting.cost -= 300 * MS;
    schedule_remove(&schedule, &entries[29]);
}

/* After a refusal new requests may wait 5 ms, until none waits. The thread for
 * short requests and the worker share the lane. */
START_TEST(check_ends_a_queue_that_stands)
{
    push_many(0, 20);
    ck_assert_int_eq(check_at(DELAY), SCHEDULE_OK); /* 40 ms */
    refuse_at(DELAY + 1);
    ck_assert_int_eq(check_at(DELAY + 2), SCHEDULE_LATE);
    ck_assert_int_eq(schedule_check(&schedule, 1, MS, true, DELAY + 2),
                     SCHEDULE_OK); /* work was done for it */
    ck_assert_int_eq(schedule_check(&schedule, 2, MS, false, DELAY + 2),
                     SCHEDULE_OK); /* another address */
    ck_assert_int_eq(schedule_check(&schedule, 1, 20 * MS, false, DELAY + 2),
                     SCHEDULE_OK); /* another lane */
    remove_from(3);
    ck_assert_int_eq(check_at(DELAY + 3), SCHEDULE_LATE); /* 6 ms */
    remove_from(2);
    ck_assert_int_eq(check_at(DELAY + 4), SCHEDULE_OK); /* 4 ms */
}
END_TEST

START_TEST(check_remembers_a_refusal)
{
    const uint64_t part = DELAY / 20;

    refuse_at(DELAY);
    ck_assert_int_eq(check_at(DELAY + 1), SCHEDULE_OK); /* none waits */
    push_many(0, 3);
    ck_assert_int_eq(check_at(DELAY + 1 + part), SCHEDULE_OK);
    ck_assert_int_eq(check_at(DELAY + 2 + part), SCHEDULE_LATE);
    ck_assert_int_eq(check_at(11 * DELAY + 1 + part), SCHEDULE_LATE);
    remove_from(0);
    push_many(0, 2);
    ck_assert_int_eq(check_at(20 * DELAY), SCHEDULE_OK); /* 4 ms */
    push_many(2, 3);
    ck_assert_int_eq(check_at(21 * DELAY + part), SCHEDULE_LATE);
    ck_assert_int_eq(check_at(32 * DELAY), SCHEDULE_OK);
    set_up();
    push_many(0, 3);
    ck_assert_int_eq(check_at(21 * DELAY), SCHEDULE_OK); /* none was refused */
}
END_TEST

/* Where most requests turn out longer, those that follow wait in the next lane
 * too, behind 160 ms of work here. */
START_TEST(check_looks_where_most_requests_go_on)
{
    for (int i = 0; i < 3; i++)
        push(i, 1, 50 * MS, 0);
    push(3, 1, 10 * MS, 0);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(check(MS, false),
                         schedule.lanes[SCHEDULE_SHORT].growing > 512
                             ? SCHEDULE_LATE
                             : SCHEDULE_OK);
        push(4, 1, MS, 0);
        ck_assert_ptr_eq(schedule_take(&schedule, SCHEDULE_FOR_SHORT),
                         &entries[4]);
        schedule_pause(&schedule, &entries[4]);
    }
    ck_assert_uint_gt(schedule.lanes[SCHEDULE_SHORT].growing, 512);
    ck_assert_int_eq(check(MS, true), SCHEDULE_OK);
    ck_assert_int_eq(schedule_check(&schedule, 2, MS, false, 0),
                     SCHEDULE_OK); /* its turn comes before */
    for (int i = 0; i < 100; i++) {
        push(4, 1, MS, 0);
        ck_assert_ptr_eq(schedule_take(&schedule, SCHEDULE_FOR_SHORT),
                         &entries[4]);
        schedule_done(&schedule, &entries[4], MS);
    }
    ck_assert_int_eq(check(MS, false), SCHEDULE_OK);
}
END_TEST

START_TEST(check_knows_a_full_queue)
{
    start(0, 1);
    for (int i = 0; i < WAITING; i++) {
        ck_assert_int_eq(check(1000 * MS, false),
                         SCHEDULE_OK); /* without a delay, nobody is late */
        push(i, 1, 1000 * MS, 0);
    }
    ck_assert_int_eq(check(MS, false), SCHEDULE_FULL);
    schedule_remove(&schedule, &entries[0]);
    ck_assert_int_eq(check(MS, false), SCHEDULE_OK);
}
END_TEST
static enum schedule_verdict admit(int i, uint32_t address, uint64_t cost,
                                   uint64_t now_ns)
{
    schedule_entry_init(&entries[i]);
    entries[i].address = address;
    entries[i].cost = cost;
    return schedule_admit(&schedule, &entries[i], now_ns);
}

/* Bodies that are still to come count like requests that wait. */
START_TEST(admit_counts_what_it_promised)
{
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(admit(i, 1, 50 * MS, 0), SCHEDULE_OK);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 50 * MS), 150 * MS);
    ck_assert_int_eq(admit(3, 1, 50 * MS, 0), SCHEDULE_LATE);
    ck_assert(!entries[3].promised);
    ck_assert_int_eq(admit(3, 2, 50 * MS, 0), SCHEDULE_OK); /* its turn */
    ck_assert(!schedule_has_work(&schedule, SCHEDULE_FOR_MEDIUM));
    schedule_forget(&schedule, &entries[0]);
    schedule_forget(&schedule, &entries[0]); /* again does nothing */
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 50 * MS), 150 * MS);
    schedule_forget(&schedule, &entries[3]);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 50 * MS), 100 * MS);
    schedule_forget(&schedule, &entries[1]);
    schedule_push(&schedule, &entries[1], 5);
    ck_assert_uint_eq(schedule_wait_ns(&schedule, 1, 50 * MS), 100 * MS);
}
END_TEST

/* Who announces a body and does not send it holds nothing for long. */
START_TEST(admit_promises_for_the_delay_only)
{
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(admit(i, 1, 50 * MS, (uint64_t)i), SCHEDULE_OK);
    ck_assert_int_eq(admit(3, 1, 50 * MS, DELAY), SCHEDULE_LATE);
    ck_assert_int_eq(admit(3, 1, 50 * MS, DELAY + 1), SCHEDULE_OK);
    ck_assert(!entries[0].promised && entries[1].promised);
    ck_assert_ptr_null(schedule_shed(&schedule, DELAY + 3));
    ck_assert(!entries[1].promised && !entries[2].promised);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_MEDIUM].waiting.promised, 1);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_MEDIUM].waiting.addresses, 1);
}
END_TEST
/* More of the body has come: it counts for as long again. */
START_TEST(admit_lasts_as_long_as_the_body_makes_progress)
{
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(admit(i, 1, 50 * MS, 0), SCHEDULE_OK);
    schedule_renew(&schedule, &entries[0], DELAY);
    ck_assert_int_eq(admit(3, 2, 50 * MS, DELAY + 1), SCHEDULE_OK);
    ck_assert(entries[0].promised && !entries[1].promised);
    schedule_renew(&schedule, &entries[1], DELAY + 2); /* it had ended */
    ck_assert(entries[1].promised);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_MEDIUM].waiting.promised, 3);
    ck_assert_uint_eq(schedule.lanes[SCHEDULE_MEDIUM].waiting.promised_cost,
                      150 * MS);
}
END_TEST

SUITE_WITH("schedule_check", set_up, NULL, TEST(check_refuses_above_the_delay),
           TEST(check_allows_a_long_request_its_own_time),
           TEST(check_ends_a_queue_that_stands),
           TEST(check_remembers_a_refusal),
           TEST(check_looks_where_most_requests_go_on),
           TEST(check_knows_a_full_queue), TEST(admit_counts_what_it_promised),
           TEST(admit_promises_for_the_delay_only),
           TEST(admit_lasts_as_long_as_the_body_makes_progress))
