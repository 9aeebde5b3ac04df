#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/process/housekeeping.h"
#include "tests/heap_in_use.h"
#include "tests/suite.h"

enum {
    MIB = 1 << 20,
    PERIOD_MS = 5000,
    KEEP_PERIODS = 6,
    BLOCK = 12 << 10,
    BLOCKS = 1000,
};

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    uv_close(handle, NULL);
}

static struct service service;
static uv_loop_t uv;
static struct housekeeping housekeeping;

static void set_up(void)
{
    struct status st;

    service = (struct service){0};
    budget_init(&service.jobs.budget, 64 * MIB, 64 * MIB);
    ck_assert_int_eq(uv_loop_init(&uv), 0);
    ck_assert(housekeeping_start(&housekeeping, &uv, &service, NULL, &st));
}

static void tear_down(void)
{
    uv_walk(&uv, close_handle, NULL);
    uv_run(&uv, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&uv), 0);
    budget_free(&service.jobs.budget);
}

static void wait_for_a_period(void)
{
    uint64_t start_ms = uv_now(&uv);

    while (uv_now(&uv) < start_ms + PERIOD_MS)
        uv_run(&uv, UV_RUN_ONCE);
}

/* Of two kept buffers one was put 30 seconds ago. */
START_TEST(frees_buffers_that_nobody_used)
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
END_TEST

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

static void fill_the_heap(int count)
{
    for (int i = 0; i <= count; i++) {
        blocks[i] = malloc(BLOCK);
        ck_assert_ptr_nonnull(blocks[i]);
        memset(blocks[i], 1, BLOCK);
        ck_assert_uint_eq(blocks[i][BLOCK / 2], 1);
    }
}

/* What closed connections leave: free memory below memory in use. */
static void *empty_the_heap(int count)
{
    for (int i = 0; i < count; i++)
        free(blocks[i]);
    return blocks[count];
}

/* Whether a period returns at least half of the blocks to the system. */
static bool returns(int count)
{
    size_t before = resident_pages();

    wait_for_a_period();
    return resident_pages() + (size_t)count * (BLOCK / 4096) / 2 < before;
}

/* A crowd that came and went between two looks. */
START_TEST(returns_the_heap_of_a_burst)
{
    void *above;

    fill_the_heap(BLOCKS);
    above = empty_the_heap(BLOCKS);
    ck_assert(returns(BLOCKS) || heap_in_use() == 0);
    free(above);
}
END_TEST

START_TEST(returns_the_heap_of_those_who_stayed_for_a_while)
{
    void *above;

    fill_the_heap(BLOCKS);
    ck_assert(!returns(BLOCKS));
    above = empty_the_heap(BLOCKS);
    ck_assert(returns(BLOCKS) || heap_in_use() == 0);
    free(above);
}
END_TEST

START_TEST(keeps_the_heap_of_a_few_connections)
{
    void *above;

    fill_the_heap(BLOCKS / 4);
    above = empty_the_heap(BLOCKS / 4);
    ck_assert(!returns(BLOCKS / 4));
    free(above);
}
END_TEST

SUITE_WITH("housekeeping", set_up, tear_down,
           TEST(frees_buffers_that_nobody_used),
           TEST(returns_the_heap_of_a_burst),
           TEST(returns_the_heap_of_those_who_stayed_for_a_while),
           TEST(keeps_the_heap_of_a_few_connections))
