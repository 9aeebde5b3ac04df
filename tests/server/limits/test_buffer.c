#include <string.h>

#include "server/limits/budget.h"
#include "tests/unit.h"

#define MIB ((size_t)1 << 20)

static struct budget budget;

static const size_t sizes[] = {
    0,   1,       4096,     BUDGET_MAPPED - 1, BUDGET_MAPPED, BUDGET_MAPPED + 1,
    MIB, MIB + 1, 64 * MIB, 64 * MIB + 1,      100 * MIB};

LOOP_TEST(buffer_rounds_up_by_at_most_a_quarter, COUNT(sizes))
{
    struct buffer buffer;
    size_t size = sizes[_i];

    budget_init(&budget, SIZE_MAX, 64 * MIB);
    ck_assert(buffer_get(&budget, size, &buffer));
    ck_assert_uint_ge(buffer.capacity, size);
    ck_assert_uint_le(buffer.capacity, size + size / 4 + 1);
    if (size > 0)
        buffer.data[0] = buffer.data[size - 1] = 1;
    buffer_put(&budget, &buffer);
    ck_assert_ptr_null(buffer.data);
    ck_assert_uint_eq(buffer.capacity, 0);
    ck_assert_uint_eq(buffer.unleased, 0);
    budget_free(&budget);
}

UNIT_TEST(buffer_reuses_a_kept_buffer)
{
    struct buffer buffer;
    unsigned char *first;

    budget_init(&budget, SIZE_MAX, 64 * MIB);
    ck_assert(buffer_get(&budget, MIB, &buffer));
    first = buffer.data;
    buffer_put(&budget, &buffer);
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    ck_assert(buffer_get(&budget, MIB - 7, &buffer));
    ck_assert_ptr_eq(buffer.data, first);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    buffer_put(&budget, &buffer);
    budget_free(&budget);
}

UNIT_TEST(buffer_grow_keeps_the_contents)
{
    struct buffer buffer = {NULL, 0, 0};
    size_t used = 0;

    budget_init(&budget, SIZE_MAX, 64 * MIB);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ck_assert(buffer_grow(&budget, &buffer, used, sizes[i]));
        for (size_t j = 0; j < used; j += 997)
            ck_assert_uint_eq(buffer.data[j], j % 251);
        for (size_t j = used; j < sizes[i]; j++)
            buffer.data[j] = (unsigned char)(j % 251);
        used = sizes[i];
    }
    buffer_put(&budget, &buffer);
    budget_free(&budget);
}

UNIT_TEST(buffer_reports_lack_of_memory)
{
    struct buffer buffer, small;

    budget_init(&budget, SIZE_MAX, 64 * MIB);
    ck_assert(!buffer_get(&budget, SIZE_MAX / 2, &buffer));
    ck_assert_ptr_null(buffer.data);
    buffer_put(&budget, &buffer);
    ck_assert(buffer_get(&budget, 10, &small));
    ck_assert(!buffer_grow(&budget, &small, 10, SIZE_MAX / 2));
    ck_assert_uint_eq(small.capacity, 10);
    buffer_put(&budget, &small);
    budget_free(&budget);
}

enum { THREADS = 4 };

static void *get_and_put(void *context)
{
    struct buffer buffer;

    for (size_t i = 0; i < 2000; i++) {
        size_t size = BUDGET_MAPPED + i % 64 * 8192;

        if (!buffer_get(&budget, size, &buffer))
            return context;
        memset(buffer.data, (int)i, 64);
        buffer_put(&budget, &buffer);
        if (i % 100 == 0)
            budget_trim(&budget, (unsigned)i / 100 % 2);
    }
    return NULL;
}

UNIT_TEST(buffer_serves_many_threads)
{
    pthread_t threads[THREADS];

    budget_init(&budget, SIZE_MAX, MIB);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, get_and_put, &budget);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_le(atomic_load(&budget.kept), MIB);
    budget_free(&budget);
}

/* What the pool keeps, alone and as a part of the budget. */

/* Has the pool keep what `count` buffers of this size leave. */
static void keep(int count, size_t size)
{
    struct buffer held[8];

    for (int i = 0; i < count; i++)
        ck_assert(buffer_get(&budget, size, &held[i]));
    for (int i = 0; i < count; i++)
        buffer_put(&budget, &held[i]);
}

UNIT_TEST(buffer_keeps_no_more_than_the_limit)
{
    budget_init(&budget, SIZE_MAX, 3 * MIB);
    keep(8, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    budget_free(&budget);
}

UNIT_TEST(buffer_trim_frees_old_ones_only)
{
    struct buffer held[3];

    budget_init(&budget, SIZE_MAX, 64 * MIB);
    for (int i = 0; i < 3; i++)
        ck_assert(buffer_get(&budget, MIB, &held[i]));
    for (int i = 0; i < 3; i++) {
        buffer_put(&budget, &held[i]);
        budget_trim(&budget, 3);
    }
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    budget_trim(&budget, 3);
    ck_assert_uint_eq(atomic_load(&budget.kept), 2 * MIB);
    budget_trim(&budget, 2);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    budget_free(&budget);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
}

UNIT_TEST(buffer_gives_to_leases)
{
    struct buffer held;

    budget_init(&budget, 4 * MIB, 64 * MIB);
    keep(3, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    ck_assert(budget_lease(&budget, MIB));
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    ck_assert(budget_lease(&budget, MIB + 1));
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    ck_assert(buffer_get(&budget, MIB, &held));
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert(budget_lease(&budget, MIB));
    buffer_put(&budget, &held); /* one byte does not fit */
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    budget_free(&budget);
}

UNIT_TEST(buffer_counts_what_is_resident_and_not_leased)
{
    struct buffer held, other;

    budget_init(&budget, 8 * MIB, 4 * MIB);
    ck_assert(buffer_get_leasing(&budget, 3 * MIB, 1, &held)); /* a new one */
    ck_assert_uint_eq(atomic_load(&budget.unleased), 0);
    buffer_put(&budget, &held);
    ck_assert_uint_eq(atomic_load(&budget.kept), 3 * MIB);
    ck_assert(buffer_get_leasing(&budget, 3 * MIB, MIB, &held));
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert_uint_eq(atomic_load(&budget.unleased), 2 * MIB);
    ck_assert(!budget_lease(&budget, 6 * MIB + 1));
    ck_assert(budget_lease(&budget, 6 * MIB));
    budget_give(&budget, 6 * MIB);
    buffer_lease_more(&budget, &held, 2 * MIB);
    ck_assert_uint_eq(atomic_load(&budget.unleased), MIB);
    buffer_lease_more(&budget, &held, MIB); /* a lease only grows */
    ck_assert_uint_eq(atomic_load(&budget.unleased), MIB);
    buffer_put(&budget, &held);
    ck_assert_uint_eq(atomic_load(&budget.unleased), 0);
    ck_assert(buffer_get(&budget, 3 * MIB, &other));
    ck_assert_uint_eq(atomic_load(&budget.unleased), 0);
    buffer_put(&budget, &other);
    budget_free(&budget);
}

UNIT_TEST(buffer_lends_ahead_no_more_than_it_may_keep)
{
    struct buffer held[2];

    budget_init(&budget, 64 * MIB, 4 * MIB);
    keep(2, 2 * MIB);
    atomic_fetch_add(&budget.unleased, MIB);
    ck_assert(buffer_get_leasing(&budget, 2 * MIB, 0, &held[0]));
    ck_assert_uint_eq(atomic_load(&budget.unleased), 3 * MIB);
    ck_assert(buffer_get_leasing(&budget, 2 * MIB, 0, &held[1]));
    ck_assert_uint_eq(atomic_load(&budget.unleased), 3 * MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept),
                      2 * MIB); /* the second one is new */
    for (int i = 0; i < 2; i++)
        buffer_put(&budget, &held[i]);
    ck_assert_uint_eq(atomic_load(&budget.unleased), MIB);
    budget_free(&budget);
}

UNIT_TEST(buffer_trim_is_counted)
{
    budget_init(&budget, 4 * MIB, 64 * MIB);
    keep(1, MIB);
    ck_assert_uint_eq(atomic_load(&budget.kept), MIB);
    budget_trim(&budget, 0);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    budget_free(&budget);
}
