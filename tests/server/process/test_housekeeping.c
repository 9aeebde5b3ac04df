#include <check.h>

#include "server/process/housekeeping.h"
#include "tests/suite.h"

enum { MIB = 1 << 20, PERIOD_MS = 5000, KEEP_PERIODS = 6 };

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    uv_close(handle, NULL);
}

/* Of two kept buffers one was put 30 seconds ago. */
START_TEST(housekeeping_frees_buffers_that_nobody_used)
{
    static struct service service;
    struct buffer_pool *pool = &service.jobs.buffer_pool;
    struct housekeeping housekeeping;
    struct buffer old, recent;
    uint64_t start_ms;
    struct status st;
    uv_loop_t uv;

    uv_loop_init(&uv);
    start_ms = uv_now(&uv);
    buffer_pool_init(pool, 64 * MIB, NULL);
    ck_assert(buffer_pool_get(pool, MIB, &old));
    ck_assert(buffer_pool_get(pool, MIB, &recent));
    buffer_pool_put(pool, &old);
    pool->kept.period += KEEP_PERIODS;
    buffer_pool_put(pool, &recent);
    ck_assert(housekeeping_start(&housekeeping, &uv, &service, &st));
    while (pool->kept.bytes > MIB && uv_now(&uv) < start_ms + 2 * PERIOD_MS)
        uv_run(&uv, UV_RUN_ONCE);
    ck_assert_uint_eq(pool->kept.bytes, MIB);
    uv_walk(&uv, close_handle, NULL);
    uv_run(&uv, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&uv), 0);
    buffer_pool_free(pool);
}
END_TEST

SUITE("housekeeping", TEST(housekeeping_frees_buffers_that_nobody_used))
