#include <check.h>
#include <string.h>

#include "server/limits/buffer_pool.h"
#include "tests/count.h"
#include "tests/suite.h"

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = {0,
                               1,
                               4096,
                               BUFFER_POOL_MAPPED - 1,
                               BUFFER_POOL_MAPPED,
                               BUFFER_POOL_MAPPED + 1,
                               MIB,
                               MIB + 1,
                               64 * MIB,
                               64 * MIB + 1,
                               100 * MIB};

START_TEST(buffer_pool_rounds_up_by_at_most_a_quarter)
{
    struct buffer_pool pool;
    struct buffer buffer;
    size_t size = sizes[_i];

    buffer_pool_init(&pool, 64 * MIB, NULL);
    ck_assert(buffer_pool_get(&pool, size, &buffer));
    ck_assert_uint_ge(buffer.capacity, size);
    ck_assert_uint_le(buffer.capacity, size + size / 4 + 1);
    if (size > 0)
        buffer.data[0] = buffer.data[size - 1] = 1;
    buffer_pool_put(&pool, &buffer);
    ck_assert_ptr_null(buffer.data);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_reuses_a_kept_buffer)
{
    struct buffer_pool pool;
    struct buffer buffer;
    unsigned char *first;

    buffer_pool_init(&pool, 64 * MIB, NULL);
    ck_assert(buffer_pool_get(&pool, MIB, &buffer));
    first = buffer.data;
    buffer_pool_put(&pool, &buffer);
    ck_assert_uint_eq(pool.kept_bytes, MIB);
    ck_assert(buffer_pool_get(&pool, MIB - 7, &buffer));
    ck_assert_ptr_eq(buffer.data, first);
    ck_assert_uint_eq(pool.kept_bytes, 0);
    buffer_pool_put(&pool, &buffer);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_grow_keeps_the_contents)
{
    struct buffer_pool pool;
    struct buffer buffer = {NULL, 0, 0};
    size_t used = 0;

    buffer_pool_init(&pool, 64 * MIB, NULL);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ck_assert(buffer_pool_grow(&pool, &buffer, used, sizes[i]));
        for (size_t j = 0; j < used; j += 997)
            ck_assert_uint_eq(buffer.data[j], j % 251);
        for (size_t j = used; j < sizes[i]; j++)
            buffer.data[j] = (unsigned char)(j % 251);
        used = sizes[i];
    }
    buffer_pool_put(&pool, &buffer);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_reports_lack_of_memory)
{
    struct buffer_pool pool;
    struct buffer buffer, small;

    buffer_pool_init(&pool, 64 * MIB, NULL);
    ck_assert(!buffer_pool_get(&pool, SIZE_MAX / 2, &buffer));
    ck_assert_ptr_null(buffer.data);
    buffer_pool_put(&pool, &buffer);
    ck_assert(buffer_pool_get(&pool, 10, &small));
    ck_assert(!buffer_pool_grow(&pool, &small, 10, SIZE_MAX / 2));
    ck_assert_uint_eq(small.capacity, 10);
    buffer_pool_put(&pool, &small);
    buffer_pool_free(&pool);
}
END_TEST

enum { THREADS = 4 };

static void *get_and_put(void *context)
{
    struct buffer_pool *pool = context;
    struct buffer buffer;

    for (size_t i = 0; i < 2000; i++) {
        size_t size = BUFFER_POOL_MAPPED + i % 64 * 8192;

        if (!buffer_pool_get(pool, size, &buffer))
            return context;
        memset(buffer.data, (int)i, 64);
        buffer_pool_put(pool, &buffer);
        if (i % 100 == 0)
            buffer_pool_trim(pool, (unsigned)i / 100 % 2);
    }
    return NULL;
}

START_TEST(buffer_pool_serves_many_threads)
{
    struct buffer_pool pool;
    pthread_t threads[THREADS];

    buffer_pool_init(&pool, MIB, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, get_and_put, &pool);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_le(pool.kept_bytes, MIB);
    buffer_pool_free(&pool);
}
END_TEST

/* What the pool keeps, alone and as a part of the budget. */

/* Has the pool keep what `count` buffers of this size leave. */
static void keep(struct buffer_pool *pool, int count, size_t size)
{
    struct buffer held[8];

    for (int i = 0; i < count; i++)
        ck_assert(buffer_pool_get(pool, size, &held[i]));
    for (int i = 0; i < count; i++)
        buffer_pool_put(pool, &held[i]);
}

START_TEST(buffer_pool_keeps_no_more_than_the_limit)
{
    struct buffer_pool pool;

    buffer_pool_init(&pool, 3 * MIB, NULL);
    keep(&pool, 8, MIB);
    ck_assert_uint_eq(pool.kept_bytes, 3 * MIB);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_trim_frees_old_ones_only)
{
    struct buffer_pool pool;
    struct buffer held[3];

    buffer_pool_init(&pool, 64 * MIB, NULL);
    for (int i = 0; i < 3; i++)
        ck_assert(buffer_pool_get(&pool, MIB, &held[i]));
    for (int i = 0; i < 3; i++) {
        buffer_pool_put(&pool, &held[i]);
        buffer_pool_trim(&pool, 3);
    }
    ck_assert_uint_eq(pool.kept_bytes, 3 * MIB);
    buffer_pool_trim(&pool, 3);
    ck_assert_uint_eq(pool.kept_bytes, 2 * MIB);
    buffer_pool_trim(&pool, 2);
    ck_assert_uint_eq(pool.kept_bytes, 0);
    buffer_pool_free(&pool);
    ck_assert_uint_eq(pool.kept_bytes, 0);
}
END_TEST

START_TEST(buffer_pool_gives_to_leases)
{
    struct buffer_pool pool;
    struct budget budget;
    struct buffer held;

    budget_init(&budget, 4 * MIB);
    buffer_pool_init(&pool, 64 * MIB, &budget);
    keep(&pool, 3, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    ck_assert(budget_lease(&budget, MIB));
    ck_assert_uint_eq(pool.kept_bytes, 3 * MIB);
    ck_assert(budget_lease(&budget, MIB + 1));
    ck_assert_uint_eq(pool.kept_bytes, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    ck_assert(buffer_pool_get(&pool, MIB, &held));
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert(budget_lease(&budget, MIB));
    buffer_pool_put(&pool, &held); /* one byte does not fit */
    ck_assert_uint_eq(pool.kept_bytes, 0);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_counts_what_is_resident_and_not_leased)
{
    struct buffer_pool pool;
    struct budget budget;
    struct buffer held, other;

    budget_init(&budget, 8 * MIB);
    buffer_pool_init(&pool, 4 * MIB, &budget);
    ck_assert(
        buffer_pool_get_leasing(&pool, 3 * MIB, 1, &held)); /* a new one */
    ck_assert_uint_eq(atomic_load(&budget.unleased), 0);
    buffer_pool_put(&pool, &held);
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    ck_assert(buffer_pool_get_leasing(&pool, 3 * MIB, MIB, &held));
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert_uint_eq(atomic_load(&budget.unleased), 2 * MIB);
    ck_assert(!budget_lease(&budget, 6 * MIB + 1));
    ck_assert(budget_lease(&budget, 6 * MIB));
    ck_assert(!budget_keep(&budget, 1));
    budget_give(&budget, 6 * MIB);
    buffer_pool_lease_more(&pool, &held, 2 * MIB);
    ck_assert_uint_eq(atomic_load(&budget.unleased), MIB);
    buffer_pool_lease_more(&pool, &held, MIB); /* a lease only grows */
    ck_assert_uint_eq(atomic_load(&budget.unleased), MIB);
    buffer_pool_put(&pool, &held);
    ck_assert_uint_eq(atomic_load(&budget.unleased), 0);
    ck_assert(buffer_pool_get(&pool, 3 * MIB, &other));
    ck_assert_uint_eq(atomic_load(&budget.unleased), 0);
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
    budget_add_unleased(&budget, MIB);
    ck_assert(buffer_pool_get_leasing(&pool, 2 * MIB, 0, &held[0]));
    ck_assert_uint_eq(atomic_load(&budget.unleased), 3 * MIB);
    ck_assert(buffer_pool_get_leasing(&pool, 2 * MIB, 0, &held[1]));
    ck_assert_uint_eq(atomic_load(&budget.unleased), 3 * MIB);
    ck_assert_uint_eq(pool.kept_bytes, 2 * MIB); /* the second one is new */
    for (int i = 0; i < 2; i++)
        buffer_pool_put(&pool, &held[i]);
    ck_assert_uint_eq(atomic_load(&budget.unleased), MIB);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_trim_is_counted)
{
    struct buffer_pool pool;
    struct budget budget;

    budget_init(&budget, 4 * MIB);
    buffer_pool_init(&pool, 64 * MIB, &budget);
    keep(&pool, 1, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    buffer_pool_trim(&pool, 0);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    buffer_pool_free(&pool);
}
END_TEST

SUITE("buffer_pool",
      LOOP(buffer_pool_rounds_up_by_at_most_a_quarter, COUNT(sizes)),
      TEST(buffer_pool_reuses_a_kept_buffer),
      TEST(buffer_pool_grow_keeps_the_contents),
      TEST(buffer_pool_reports_lack_of_memory),
      TEST(buffer_pool_serves_many_threads),
      TEST(buffer_pool_keeps_no_more_than_the_limit),
      TEST(buffer_pool_trim_frees_old_ones_only),
      TEST(buffer_pool_gives_to_leases),
      TEST(buffer_pool_counts_what_is_resident_and_not_leased),
      TEST(buffer_pool_lends_ahead_no_more_than_it_may_keep),
      TEST(buffer_pool_trim_is_counted))
