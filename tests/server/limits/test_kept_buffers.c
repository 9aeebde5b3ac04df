/* What the pool keeps, alone and as a part of the budget. */
#include <check.h>

#include "server/limits/buffer_pool.h"
#include "tests/suite.h"

#define MIB ((size_t)1 << 20)

/* Has the pool keep what `count` buffers of this size leave. */
static void keep(struct buffer_pool *pool, int count, size_t size)
{
    struct buffer held[8];

    for (int i = 0; i < count; i++)
        ck_assert(buffer_pool_get(pool, size, &held[i]));
    for (int i = 0; i < count; i++)
        buffer_pool_put(pool, &held[i]);
}

START_TEST(kept_buffers_are_no_more_than_the_limit)
{
    struct buffer_pool pool;

    buffer_pool_init(&pool, 3 * MIB, NULL);
    keep(&pool, 8, MIB);
    ck_assert_uint_eq(pool.kept.bytes, 3 * MIB);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(kept_buffers_trim_frees_old_ones_only)
{
    struct buffer_pool pool;
    struct buffer held[3];

    buffer_pool_init(&pool, 64 * MIB, NULL);
    for (int i = 0; i < 3; i++)
        ck_assert(buffer_pool_get(&pool, MIB, &held[i]));
    for (int i = 0; i < 3; i++) {
        buffer_pool_put(&pool, &held[i]);
        kept_buffers_trim(&pool.kept, 3);
    }
    ck_assert_uint_eq(pool.kept.bytes, 3 * MIB);
    kept_buffers_trim(&pool.kept, 3);
    ck_assert_uint_eq(pool.kept.bytes, 2 * MIB);
    kept_buffers_trim(&pool.kept, 2);
    ck_assert_uint_eq(pool.kept.bytes, 0);
    buffer_pool_free(&pool);
    ck_assert_uint_eq(pool.kept.bytes, 0);
}
END_TEST

START_TEST(kept_buffers_are_given_to_leases)
{
    struct buffer_pool pool;
    struct budget budget;
    struct buffer held;

    budget_init(&budget, 4 * MIB);
    buffer_pool_init(&pool, 64 * MIB, &budget);
    keep(&pool, 3, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    ck_assert(budget_lease(&budget, MIB));
    ck_assert_uint_eq(pool.kept.bytes, 3 * MIB);
    ck_assert(budget_lease(&budget, MIB + 1));
    ck_assert_uint_eq(pool.kept.bytes, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    ck_assert(buffer_pool_get(&pool, MIB, &held));
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert(budget_lease(&budget, MIB));
    buffer_pool_put(&pool, &held); /* one byte does not fit */
    ck_assert_uint_eq(pool.kept.bytes, 0);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_counts_what_is_resident_ahead_of_a_lease)
{
    struct buffer_pool pool;
    struct budget budget;
    struct buffer held, other;

    budget_init(&budget, 8 * MIB);
    buffer_pool_init(&pool, 4 * MIB, &budget);
    ck_assert(buffer_pool_get_ahead(&pool, 3 * MIB, 1, &held)); /* a new one */
    ck_assert_uint_eq(atomic_load(&budget.ahead), 0);
    buffer_pool_put(&pool, &held);
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    ck_assert(buffer_pool_get_ahead(&pool, 3 * MIB, MIB, &held));
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert_uint_eq(atomic_load(&budget.ahead), 2 * MIB);
    ck_assert(!budget_lease(&budget, 6 * MIB + 1));
    ck_assert(budget_lease(&budget, 6 * MIB));
    ck_assert(!budget_keep(&budget, 1));
    budget_give(&budget, 6 * MIB);
    buffer_pool_catch_up(&pool, &held, 2 * MIB);
    ck_assert_uint_eq(atomic_load(&budget.ahead), MIB);
    buffer_pool_catch_up(&pool, &held, MIB); /* a lease only grows */
    ck_assert_uint_eq(atomic_load(&budget.ahead), MIB);
    buffer_pool_put(&pool, &held);
    ck_assert_uint_eq(atomic_load(&budget.ahead), 0);
    ck_assert(buffer_pool_get(&pool, 3 * MIB, &other));
    ck_assert_uint_eq(atomic_load(&budget.ahead), 0);
    buffer_pool_put(&pool, &other);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_lends_ahead_no_more_than_it_may_keep)
{
    struct buffer_pool pool;
    struct budget budget;
    struct buffer held[2];

    budget_init(&budget, 64 * MIB);
    buffer_pool_init(&pool, 4 * MIB, &budget);
    keep(&pool, 2, 2 * MIB);
    budget_ahead(&budget, MIB);
    ck_assert(buffer_pool_get_ahead(&pool, 2 * MIB, 0, &held[0]));
    ck_assert_uint_eq(atomic_load(&budget.ahead), 3 * MIB);
    ck_assert(buffer_pool_get_ahead(&pool, 2 * MIB, 0, &held[1]));
    ck_assert_uint_eq(atomic_load(&budget.ahead), 3 * MIB);
    ck_assert_uint_eq(pool.kept.bytes, 2 * MIB); /* the second one is new */
    for (int i = 0; i < 2; i++)
        buffer_pool_put(&pool, &held[i]);
    ck_assert_uint_eq(atomic_load(&budget.ahead), MIB);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(kept_buffers_trim_is_counted)
{
    struct buffer_pool pool;
    struct budget budget;

    budget_init(&budget, 4 * MIB);
    buffer_pool_init(&pool, 64 * MIB, &budget);
    keep(&pool, 1, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    kept_buffers_trim(&pool.kept, 0);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    buffer_pool_free(&pool);
}
END_TEST

SUITE("kept_buffers", TEST(kept_buffers_are_no_more_than_the_limit),
      TEST(kept_buffers_trim_frees_old_ones_only),
      TEST(kept_buffers_are_given_to_leases),
      TEST(buffer_pool_counts_what_is_resident_ahead_of_a_lease),
      TEST(buffer_pool_lends_ahead_no_more_than_it_may_keep),
      TEST(kept_buffers_trim_is_counted))
