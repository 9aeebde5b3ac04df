#include <stdint.h>

#include "server/limits/budget.h"
#include "tests/unit.h"

enum { UNIT = BUDGET_MAPPED, LIMIT = 100 * UNIT };

static struct budget budget;
static struct buffer held;

static void set_up(void)
{
    budget_init(&budget, LIMIT, LIMIT);
}

static void tear_down(void)
{
    budget_free(&budget);
}

/* Has the budget keep as much; false if it does not. */
static bool keep(size_t bytes)
{
    size_t before = atomic_load(&budget.kept);

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
    ck_assert(budget_lease(&budget, LIMIT - 1));
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

UNIT_TEST(budget_does_not_wrap_around)
{
    ck_assert(budget_lease(&budget, 10));
    ck_assert(!budget_lease(&budget, SIZE_MAX));
    ck_assert(!budget_lease(&budget, SIZE_MAX - 9));
    expect(10, 0);
}

UNIT_TEST(budget_keeps_what_leases_leave)
{
    ck_assert(budget_lease(&budget, LIMIT - 40 * UNIT + 1));
    ck_assert(!keep(40 * UNIT));
    expect(LIMIT - 40 * UNIT + 1, 0);
    budget_give(&budget, 1);
    ck_assert(keep(40 * UNIT));
    expect(LIMIT - 40 * UNIT, 40 * UNIT);
    ck_assert(!keep(UNIT));
    expect(LIMIT - 40 * UNIT, 40 * UNIT);
}

UNIT_TEST(budget_frees_kept_bytes_for_a_lease)
{
    ck_assert(keep(64 * UNIT));
    ck_assert(keep(5 * UNIT));
    ck_assert(budget_lease(&budget, 31 * UNIT));
    expect(31 * UNIT, 69 * UNIT);
    ck_assert(budget_lease(&budget, 1)); /* the largest goes first */
    expect(31 * UNIT + 1, 5 * UNIT);
    ck_assert(budget_lease(&budget, 69 * UNIT - 1));
    expect(LIMIT, 0);
}

UNIT_TEST(budget_frees_nothing_for_a_lease_that_fails)
{
    ck_assert(keep(10 * UNIT));
    ck_assert(!budget_lease(&budget, LIMIT + 1));
    expect(0, 10 * UNIT);
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

UNIT_TEST(budget_pressure_rises_by_one_a_step)
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
}

UNIT_TEST(budget_pressure_falls_by_one_a_second)
{
    ck_assert_uint_eq(refuse(10000, 5), 5); /* the last at 10400 */
    ck_assert_uint_eq(budget_pressure(&budget, 11399), 5);
    ck_assert_uint_eq(budget_pressure(&budget, 11499), 4);
    ck_assert_uint_eq(budget_pressure(&budget, 12399), 4);
    ck_assert_uint_eq(budget_pressure(&budget, 12499), 3);
    ck_assert_uint_eq(refuse(12599, 1), 4);
    ck_assert_uint_eq(budget_pressure(&budget, 15599), 1);
    ck_assert_uint_eq(budget_pressure(&budget, 99999), 0);
}

UNIT_TEST(budget_pressure_comes_from_refusals_only)
{
    ck_assert(budget_lease(&budget, LIMIT));
    ck_assert(!keep(UNIT));
    ck_assert_uint_eq(budget_pressure(&budget, 1000), 0);
    ck_assert(!budget_lease(&budget, 1));
    ck_assert_uint_eq(budget_pressure(&budget, 1100), 1);
}

FIXTURE(set_up, tear_down)
