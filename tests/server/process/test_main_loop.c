#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/process/main_loop.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

static const struct {
    bool has_admin;
    int64_t delay_ms;
} cases[] = {{false, 0}, {true, 5000}, {false, 0}, {false, 5000}, {true, 0}};

/* After each event of a case: the state and the timer, which is -2 where
 * nothing changes. */
static const struct {
    int of;
    enum drain_event event;
    enum drain_state state;
    int64_t timer_ms;
} steps[] = {
    {0, DRAIN_ON_TIMER, DRAIN_SERVING, -2},
    {0, DRAIN_ON_PORT_DONE, DRAIN_SERVING, -2},
    {0, DRAIN_ON_SIGNAL, DRAIN_REFUSING, 100},
    {0, DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
    {0, DRAIN_ON_PORT_DONE, DRAIN_ENDED, -1},
    {0, DRAIN_ON_SIGNAL, DRAIN_ENDED, -2},
    {1, DRAIN_ON_SIGNAL, DRAIN_DELAY, 5000},
    {1, DRAIN_ON_TIMER, DRAIN_REFUSING, 100},
    {1, DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
    {1, DRAIN_ON_ADMIN_DONE, DRAIN_STOPPING, -2},
    {1, DRAIN_ON_PORT_DONE, DRAIN_ADMIN, 200},
    {1, DRAIN_ON_TIMER, DRAIN_ADMIN_ABORTING, -1},
    {1, DRAIN_ON_TIMER, DRAIN_ADMIN_ABORTING, -2},
    {1, DRAIN_ON_ADMIN_DONE, DRAIN_ENDED, -1},
    {2, DRAIN_ON_SIGNAL, DRAIN_REFUSING, 100},
    {2, DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
    {2, DRAIN_ON_TIMER, DRAIN_ABORTING, 2000},
    {2, DRAIN_ON_SIGNAL, DRAIN_ABORTING, -2},
    {2, DRAIN_ON_TIMER, DRAIN_STUCK, -1},
    {3, DRAIN_ON_SIGNAL, DRAIN_DELAY, 5000},
    {3, DRAIN_ON_SIGNAL, DRAIN_ABORTING, 2000},
    {3, DRAIN_ON_PORT_DONE, DRAIN_ENDED, -1},
    {4, DRAIN_ON_SIGNAL, DRAIN_REFUSING, 100},
    {4, DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
    {4, DRAIN_ON_SIGNAL, DRAIN_ABORTING, 2000},
    {4, DRAIN_ON_PORT_DONE, DRAIN_ADMIN, 200},
    {4, DRAIN_ON_SIGNAL, DRAIN_ADMIN_ABORTING, -1},
    {4, DRAIN_ON_ADMIN_DONE, DRAIN_ENDED, -1},
};

LOOP_TEST(drain_takes_its_steps, COUNT(cases))
{
    struct drain drain = {.delay_ms = cases[_i].delay_ms,
                          .exit_ms = 30000,
                          .has_admin = cases[_i].has_admin};

    for (int i = 0; i < COUNT(steps); i++) {
        int64_t timer_ms = -2;

        if (steps[i].of != _i)
            continue;
        ck_assert_int_eq(main_loop_drain(&drain, steps[i].event, &timer_ms),
                         steps[i].timer_ms != -2);
        ck_assert_int_eq(drain.state, steps[i].state);
        ck_assert_int_eq(timer_ms, steps[i].timer_ms);
    }
}

/* The sum of the longest steps of the cases above. */
UNIT_TEST(drain_knows_how_long_it_takes_at_most)
{
    struct drain drain = {.delay_ms = 5000, .exit_ms = 30000};

    ck_assert_int_eq(main_loop_drain_limit_ms(&drain),
                     5000 + 100 + 30000 + 2000);
    drain.has_admin = true;
    ck_assert_int_gt(main_loop_drain_limit_ms(&drain),
                     5000 + 100 + 30000 + 2000 + 200);
}

enum {
    MIB = 1 << 20,
    PERIOD_MS = 5000,
    KEEP_PERIODS = 6,
    BLOCK = 12 << 10,
    BLOCKS = 1000,
};

static struct service service;
static struct acceptor port = {.service = &service};
static struct main_loop loop;

static void set_up(void)
{
    struct status st;

    budget_init(&service.jobs.budget, 64 * MIB, 64 * MIB);
    ck_assert(main_loop_init(&loop, &port, NULL, NULL, &st));
}

static void tear_down(void)
{
    ck_assert(loop_close_uv(&loop.uv));
    budget_free(&service.jobs.budget);
}

static void wait_for_a_period(void)
{
    uint64_t start_ms = uv_now(&loop.uv);

    while (uv_now(&loop.uv) < start_ms + PERIOD_MS)
        uv_run(&loop.uv, UV_RUN_ONCE);
}

/* Of two kept buffers one was put 30 seconds ago. */
UNIT_TEST(frees_buffers_that_nobody_used)
{
    struct budget *budget = &service.jobs.budget;
    struct buffer old, recent;

    ck_assert(buffer_get(budget, MIB, &old));
    ck_assert(buffer_get(budget, MIB, &recent));
    buffer_put(budget, &old);
    budget->period += KEEP_PERIODS;
    buffer_put(budget, &recent);
    wait_for_a_period();
    ck_assert_uint_eq(atomic_load(&budget->kept), MIB);
}

static size_t resident_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    size_t all, resident;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%zu %zu", &all, &resident), 2);
    fclose(file);
    return resident;
}

static unsigned char *blocks[BLOCKS + 1];

/* Whether a period returns at least half of the blocks to the system. */
static bool returns(int count)
{
    size_t before = resident_pages();

    wait_for_a_period();
    return resident_pages() + (size_t)count * (BLOCK / 4096) / 2 < before;
}

/* A crowd that came and went between two looks, one that stayed for a while,
 * and a few connections. What they leave is free memory below memory in use. */
LOOP_TEST(returns_the_heap_of_a_crowd, 3)
{
    int count = _i < 2 ? BLOCKS : BLOCKS / 4;

    for (int i = 0; i <= count; i++) {
        blocks[i] = malloc(BLOCK);
        ck_assert_ptr_nonnull(blocks[i]);
        memset(blocks[i], 1, BLOCK);
        ck_assert_uint_eq(blocks[i][BLOCK / 2], 1);
    }
    if (_i == 1)
        ck_assert(!returns(count));
    for (int i = 0; i < count; i++)
        free(blocks[i]);
    ck_assert(returns(count) == (_i < 2) || (_i < 2 && heap_in_use() == 0));
    free(blocks[count]);
}

FIXTURE(set_up, tear_down)
