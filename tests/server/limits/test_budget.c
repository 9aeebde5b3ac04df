#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "server/limits/budget.h"
#include "tests/heap_watch.h"
#include "tests/unit.h"

enum { UNIT = BUDGET_MAPPED, LIMIT = 100 * UNIT, THREADS = 4 };
enum { ALLOWANCE = CONNECTION_COST_ALLOWANCE, MOST = LIMIT / 4 * 3 };
#define MIB ((size_t)1 << 20)

static struct budget budget;
static struct lease lease;
static struct status st;
static const struct peer client = {.address = {[15] = 1}, .port = 1};

static void set_up(void)
{
    budget_init(&budget, LIMIT, LIMIT);
    lease_init(&lease, &budget, NULL);
}

static void tear_down(void)
{
    budget_free(&budget);
}

/* Has the budget keep as much; false if it does not. */
static bool keep(size_t bytes)
{
    size_t before = atomic_load(&budget.kept);
    struct buffer held;

    ck_assert(buffer_get(&budget, bytes, &held));
    ck_assert_uint_eq(held.capacity, bytes);
    buffer_put(&budget, &held);
    return atomic_load(&budget.kept) == before + bytes;
}

static void expect(size_t leased, size_t kept)
{
    ck_assert_uint_eq(atomic_load(&budget.leased), leased);
    ck_assert_uint_eq(atomic_load(&budget.kept), kept);
}

UNIT_TEST(budget_leases_up_to_its_limit)
{
    ck_assert(budget_lease(&budget, 10));
    ck_assert(!budget_lease(&budget, SIZE_MAX)); /* it does not wrap around */
    ck_assert(!budget_lease(&budget, SIZE_MAX - 9));
    expect(10, 0);
    ck_assert(budget_lease(&budget, LIMIT - 11));
    ck_assert(!budget_lease(&budget, 2));
    ck_assert(budget_lease(&budget, 1));
    ck_assert(!budget_lease(&budget, 1));
    expect(LIMIT, 0);
    budget_give(&budget, 40);
    expect(LIMIT - 40, 0);
    ck_assert(!budget_lease(&budget, 41));
    ck_assert(budget_lease(&budget, 40));
}

UNIT_TEST(budget_has_a_quarter_to_spare)
{
    ck_assert(!budget_lease_socket(&budget, LIMIT / 4 + 1));
    ck_assert(budget_lease_socket(&budget, LIMIT / 4));
    ck_assert(!budget_lease_socket(&budget, 1));
    expect(LIMIT / 4, 0);
    ck_assert_uint_eq(budget_requests(&budget), 0);
    ck_assert(!budget_lease(&budget, LIMIT - LIMIT / 4 + 1));
    budget_give_socket(&budget, 10);
    ck_assert(budget_lease_socket(&budget, 10));
    budget_give_socket(&budget, LIMIT / 4);
    expect(0, 0);
}

UNIT_TEST(budget_spares_nothing_when_it_is_full)
{
    ck_assert(keep(5 * UNIT));
    ck_assert(budget_lease(&budget, LIMIT - 10 * UNIT));
    ck_assert(!budget_lease_socket(&budget, 11 * UNIT));
    ck_assert_uint_eq(budget_requests(&budget), LIMIT - 10 * UNIT);
    ck_assert_uint_eq(budget_pressure(&budget, 1000), 0);
    expect(LIMIT - 10 * UNIT, 5 * UNIT);
    /* in the place of kept bytes */
    ck_assert(budget_lease_socket(&budget, 10 * UNIT));
    expect(LIMIT, 0);
}

UNIT_TEST(budget_keeps_what_leases_leave_and_frees_it_for_a_lease)
{
    ck_assert(budget_lease(&budget, LIMIT - 40 * UNIT + 1));
    ck_assert(!keep(40 * UNIT));
    expect(LIMIT - 40 * UNIT + 1, 0);
    budget_give(&budget, 1);
    ck_assert(keep(40 * UNIT));
    expect(LIMIT - 40 * UNIT, 40 * UNIT);
    ck_assert(!keep(UNIT));
    expect(LIMIT - 40 * UNIT, 40 * UNIT);
    tear_down();
    set_up();
    ck_assert(keep(64 * UNIT));
    ck_assert(keep(5 * UNIT));
    ck_assert(!budget_lease(&budget, LIMIT + 1)); /* frees nothing */
    expect(0, 69 * UNIT);
    ck_assert(budget_lease(&budget, 31 * UNIT));
    expect(31 * UNIT, 69 * UNIT);
    ck_assert(budget_lease(&budget, 1)); /* the largest goes first */
    expect(31 * UNIT + 1, 5 * UNIT);
    ck_assert(budget_lease(&budget, 69 * UNIT - 1));
    expect(LIMIT, 0);
}

/* A refusal every 100 ms from `from_ms` on; returns the last pressure. */
static unsigned refuse(uint64_t from_ms, int times)
{
    unsigned pressure = 0;

    for (int i = 0; i < times; i++) {
        ck_assert(!budget_lease(&budget, LIMIT + 1));
        pressure = budget_pressure(&budget, from_ms + (uint64_t)i * 100);
    }
    return pressure;
}

UNIT_TEST(budget_pressure_rises_by_one_a_step_and_falls_by_one_a_second)
{
    ck_assert_uint_eq(budget_pressure(&budget, 5000), 0);
    for (int i = 0; i < 50; i++)
        ck_assert(!budget_lease(&budget, LIMIT + 1));
    ck_assert_uint_eq(budget_pressure(&budget, 5099), 0);
    ck_assert_uint_eq(budget_pressure(&budget, 5100), 1);
    ck_assert_uint_eq(budget_pressure(&budget, 5200), 1);
    ck_assert_uint_eq(refuse(5300, BUDGET_PRESSURE_MAX - 2),
                      BUDGET_PRESSURE_MAX - 1);
    ck_assert_uint_eq(refuse(8000, 5), BUDGET_PRESSURE_MAX);
    set_up();
    ck_assert_uint_eq(refuse(10000, 5), 5); /* the last at 10400 */
    ck_assert_uint_eq(budget_pressure(&budget, 11399), 5);
    ck_assert_uint_eq(budget_pressure(&budget, 11499), 4);
    ck_assert_uint_eq(budget_pressure(&budget, 12399), 4);
    ck_assert_uint_eq(budget_pressure(&budget, 12499), 3);
    ck_assert_uint_eq(refuse(12599, 1), 4);
    ck_assert_uint_eq(budget_pressure(&budget, 15599), 1);
    ck_assert_uint_eq(budget_pressure(&budget, 99999), 0);
    set_up();
    ck_assert(budget_lease(&budget, LIMIT));
    ck_assert(!keep(UNIT));
    ck_assert_uint_eq(budget_pressure(&budget, 1000), 0);
    ck_assert(!budget_lease(&budget, 1));
    ck_assert_uint_eq(budget_pressure(&budget, 1100), 1);
}

static void holds(size_t kept, size_t unleased)
{
    ck_assert_uint_eq(atomic_load(&budget.kept), kept);
    ck_assert_uint_eq(atomic_load(&budget.unleased), unleased);
}

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
}

UNIT_TEST(buffer_reuses_a_kept_buffer)
{
    struct buffer buffer;
    unsigned char *first;

    budget_init(&budget, SIZE_MAX, 64 * MIB);
    ck_assert(buffer_get(&budget, MIB, &buffer));
    first = buffer.data;
    buffer_put(&budget, &buffer);
    holds(MIB, 0);
    ck_assert(buffer_get(&budget, MIB - 7, &buffer));
    ck_assert_ptr_eq(buffer.data, first);
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    buffer_put(&budget, &buffer);
}

UNIT_TEST(buffer_grow_keeps_the_contents)
{
    struct buffer buffer = {NULL, 0, 0};
    size_t used = 0;

    budget_init(&budget, SIZE_MAX, 64 * MIB);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        ck_assert(buffer_grow(&budget, &buffer, used, sizes[i]));
        for (size_t j = 0; j < used; j += 997)
            ck_assert_uint_eq(buffer.data[j], j % 251);
        for (size_t j = used; j < sizes[i]; j++)
            buffer.data[j] = (unsigned char)(j % 251);
        used = sizes[i];
    }
    buffer_put(&budget, &buffer);
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
}

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
}

/* Has the pool keep what `count` buffers of this size leave. */
static void keep_all(int count, size_t size)
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
    keep_all(8, MIB);
    holds(3 * MIB, 0);
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
    holds(3 * MIB, 0);
    budget_trim(&budget, 3);
    holds(2 * MIB, 0);
    budget_trim(&budget, 2);
    holds(0, 0);
    keep_all(1, MIB);
    holds(MIB, 0);
    budget_trim(&budget, 0);
    holds(0, 0);
}

UNIT_TEST(buffer_gives_to_leases)
{
    struct buffer held;

    budget_init(&budget, 4 * MIB, 64 * MIB);
    keep_all(3, MIB);
    holds(3 * MIB, 0);
    ck_assert(budget_lease(&budget, MIB));
    holds(3 * MIB, 0);
    ck_assert(budget_lease(&budget, MIB + 1));
    holds(MIB, 0);
    ck_assert(buffer_get(&budget, MIB, &held));
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
    ck_assert(budget_lease(&budget, MIB));
    buffer_put(&budget, &held); /* one byte does not fit */
    ck_assert_uint_eq(atomic_load(&budget.kept), 0);
}

UNIT_TEST(buffer_counts_what_is_resident_and_not_leased)
{
    struct buffer held, other;

    budget_init(&budget, 8 * MIB, 4 * MIB);
    ck_assert(buffer_get_leasing(&budget, 3 * MIB, 1, &held)); /* a new one */
    holds(0, 0);
    buffer_put(&budget, &held);
    holds(3 * MIB, 0);
    ck_assert(buffer_get_leasing(&budget, 3 * MIB, MIB, &held));
    holds(0, 2 * MIB);
    ck_assert(!budget_lease(&budget, 6 * MIB + 1));
    ck_assert(budget_lease(&budget, 6 * MIB));
    budget_give(&budget, 6 * MIB);
    buffer_lease_more(&budget, &held, 2 * MIB);
    holds(0, MIB);
    buffer_lease_more(&budget, &held, MIB); /* a lease only grows */
    holds(0, MIB);
    buffer_put(&budget, &held);
    holds(3 * MIB, 0);
    ck_assert(buffer_get(&budget, 3 * MIB, &other));
    holds(0, 0);
    buffer_put(&budget, &other);
}

UNIT_TEST(buffer_lends_ahead_no_more_than_it_may_keep)
{
    struct buffer held[2];

    budget_init(&budget, 64 * MIB, 4 * MIB);
    keep_all(2, 2 * MIB);
    atomic_fetch_add(&budget.unleased, MIB);
    ck_assert(buffer_get_leasing(&budget, 2 * MIB, 0, &held[0]));
    holds(2 * MIB, 3 * MIB);
    ck_assert(buffer_get_leasing(&budget, 2 * MIB, 0, &held[1]));
    holds(2 * MIB, 3 * MIB); /* the second one is new */
    for (int i = 0; i < 2; i++)
        buffer_put(&budget, &held[i]);
    ck_assert_uint_eq(atomic_load(&budget.unleased), MIB);
}

static void has(size_t held, size_t leased)
{
    ck_assert_uint_eq(lease.held, held);
    ck_assert_uint_eq(atomic_load(&budget.leased), leased);
}

UNIT_TEST(lease_of_the_allowance_takes_no_budget)
{
    ck_assert(budget_lease(&budget, LIMIT));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE - 1), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_OK);
    has(ALLOWANCE, LIMIT);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_BUSY);
    has(ALLOWANCE, LIMIT);
    lease_give(&lease, ALLOWANCE);
    has(0, LIMIT);
    atomic_store(&budget.unleased, 2 * LIMIT); /* less than no room */
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE), LEASE_OK);
    budget_give(&budget, LIMIT);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_BUSY);
}

UNIT_TEST(lease_beyond_the_allowance_is_the_budgets)
{
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE - 10), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 30), LEASE_OK);
    has(ALLOWANCE + 20, 20);
    ck_assert_int_eq(lease_take(&lease, 100), LEASE_OK);
    has(ALLOWANCE + 120, 120);
    lease_give(&lease, 110);
    has(ALLOWANCE + 10, 10);
    lease_give(&lease, 30);
    has(ALLOWANCE - 20, 0);
    lease_give(&lease, ALLOWANCE - 20);
    has(0, 0);
    lease.allowance = 0; /* as beside another */
    ck_assert_uint_eq(lease_most(&lease), budget.limit - budget.limit / 4);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_OK);
    has(1, 1);
    lease_give(&lease, 1);
    has(0, 0);
}

UNIT_TEST(lease_leaves_a_quarter_of_the_budget)
{
    ck_assert_uint_eq(lease_most(&lease), ALLOWANCE + MOST);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + MOST + 1), LEASE_NEVER);
    ck_assert_int_eq(lease_take(&lease, SIZE_MAX), LEASE_NEVER);
    has(0, 0);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + MOST), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_NEVER);
    ck_assert_int_eq(lease_take(&lease, SIZE_MAX), LEASE_NEVER);
    has(ALLOWANCE + MOST, MOST);
    ck_assert(budget_limit_addresses(&budget, MOST + 1, 10, &st));
    lease_init(&lease, &budget, &client);
    ck_assert_uint_eq(lease_most(&lease), ALLOWANCE + MOST);
}

UNIT_TEST(lease_tells_busy_from_never)
{
    struct lease other;

    lease_init(&other, &budget, NULL);
    ck_assert_int_eq(lease_take(&other, ALLOWANCE + MOST), LEASE_OK);
    ck_assert(budget_lease(&budget, 1));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT - MOST), LEASE_BUSY);
    has(0, MOST + 1);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT - MOST - 1),
                     LEASE_OK);
    has(ALLOWANCE + LIMIT - MOST - 1, LIMIT);
}

UNIT_TEST(lease_counts_the_address_of_the_client)
{
    static const struct peer same = {.address = {[15] = 1}, .port = 2};
    static const struct peer another = {.address = {[7] = 2}, .port = 1};
    struct lease second, third, local;

    ck_assert(budget_limit_addresses(&budget, 300, 10, &st));
    lease_init(&lease, &budget, &client);
    lease_init(&second, &budget, &same);
    lease_init(&third, &budget, &another);
    ck_assert_uint_eq(lease_most(&lease), ALLOWANCE + 300);
    lease_init(&local, &budget, NULL);
    ck_assert_uint_eq(lease_most(&local), ALLOWANCE + MOST);
    ck_assert_int_eq(lease_take(&local, ALLOWANCE + 301), LEASE_OK);
    lease_give(&local, local.held);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + 301), LEASE_NEVER);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + 200), LEASE_OK);
    ck_assert_int_eq(lease_take(&second, ALLOWANCE + 101), LEASE_ADDRESS);
    ck_assert_int_eq(lease_take(&second, ALLOWANCE + 100), LEASE_OK);
    ck_assert_int_eq(lease_take(&third, ALLOWANCE + 300), LEASE_OK);
    lease_give(&lease, ALLOWANCE + 200);
    ck_assert_int_eq(lease_take(&second, 200), LEASE_OK);
    ck_assert_uint_eq(atomic_load(&budget.leased), 600);
    lease_give(&second, ALLOWANCE + 300);
    lease_give(&third, ALLOWANCE + 300);
    ck_assert_uint_eq(atomic_load(&budget.leased), 0);
}

UNIT_TEST(budget_leaves_no_memory_behind)
{
    struct heap_watch watch = {.times = 20, .room = 10 * 32};

    while (heap_goes_on(&watch)) {
        tear_down();
        set_up();
        ck_assert(budget_limit_addresses(&budget, 1, 10, &st));
    }
}

UNIT_TEST(lease_that_the_budget_refuses_does_not_count)
{
    ck_assert(budget_limit_addresses(&budget, 300, 10, &st));
    lease_init(&lease, &budget, &client);
    ck_assert(budget_lease(&budget, LIMIT));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + 300), LEASE_BUSY);
    budget_give(&budget, LIMIT);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + 300), LEASE_OK);
    lease_give(&lease, ALLOWANCE + 300);
}

FIXTURE(set_up, tear_down)
