/* A schedule with one worker, that is, one thread of each kind, and entries to
 * push into it. */
#pragma once

#include <check.h>

#include "server/work/schedule.h"

enum { ENTRIES = 40, WAITING = 30 };
#define MS UINT64_C(1000000)
#define DELAY (100 * MS)

static struct schedule schedule;
static struct schedule_entry entries[ENTRIES];

static void start(uint64_t max_delay_ns, int workers)
{
    const struct schedule_settings settings = {.max_waiting = WAITING,
                                               .max_delay_ns = max_delay_ns,
                                               .workers = workers};

    schedule_init(&schedule, &settings);
}

static void set_up(void)
{
    start(DELAY, 1);
}

static void push(int i, uint32_t address, uint64_t cost, uint64_t now_ns)
{
    schedule_entry_init(&entries[i]);
    entries[i].address = address;
    entries[i].cost = cost;
    schedule_push(&schedule, &entries[i], now_ns);
}

static void run(int i, uint64_t cost)
{
    static const enum schedule_kind kinds[] = {
        SCHEDULE_FOR_SHORT, SCHEDULE_FOR_MEDIUM, SCHEDULE_FOR_LONG};

    push(i, 1, cost, 0);
    ck_assert_ptr_eq(schedule_take(&schedule, kinds[schedule_lane_of(cost)]),
                     &entries[i]);
}
