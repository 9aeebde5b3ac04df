#include <check.h>
#include <stdint.h>

#include "server/limits/lease.h"
#include "tests/suite.h"

enum { ALLOWANCE = CONNECTION_COST_ALLOWANCE, LIMIT = 1000 };

static struct budget budget;
static struct lease lease;

static void set_up(void)
{
    budget_init(&budget, LIMIT);
    lease_init(&lease, &budget);
}

static void expect(size_t held, size_t leased)
{
    ck_assert_uint_eq(lease.held, held);
    ck_assert_uint_eq(atomic_load(&budget.leased), leased);
}

START_TEST(lease_of_the_allowance_takes_no_budget)
{
    ck_assert(budget_lease(&budget, LIMIT));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE - 1), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_OK);
    expect(ALLOWANCE, LIMIT);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_BUSY);
    expect(ALLOWANCE, LIMIT);
    lease_give(&lease, ALLOWANCE);
    expect(0, LIMIT);
}
END_TEST

START_TEST(lease_beyond_the_allowance_is_the_budgets)
{
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE - 10), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 30), LEASE_OK);
    expect(ALLOWANCE + 20, 20);
    ck_assert_int_eq(lease_take(&lease, 100), LEASE_OK);
    expect(ALLOWANCE + 120, 120);
    lease_give(&lease, 110);
    expect(ALLOWANCE + 10, 10);
    lease_give(&lease, 30);
    expect(ALLOWANCE - 20, 0);
    lease_give(&lease, ALLOWANCE - 20);
    expect(0, 0);
}
END_TEST

START_TEST(lease_is_at_most_half_of_the_budget)
{
    ck_assert_uint_eq(lease_most(&lease), ALLOWANCE + LIMIT / 2);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT / 2 + 1),
                     LEASE_NEVER);
    ck_assert_int_eq(lease_take(&lease, SIZE_MAX), LEASE_NEVER);
    expect(0, 0);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT / 2), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_NEVER);
    ck_assert_int_eq(lease_take(&lease, SIZE_MAX), LEASE_NEVER);
    expect(ALLOWANCE + LIMIT / 2, LIMIT / 2);
}
END_TEST

START_TEST(lease_tells_busy_from_never)
{
    struct lease other;

    lease_init(&other, &budget);
    ck_assert_int_eq(lease_take(&other, ALLOWANCE + LIMIT / 2), LEASE_OK);
    ck_assert(budget_lease(&budget, 1));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT / 2), LEASE_BUSY);
    expect(0, LIMIT / 2 + 1);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT / 2 - 1), LEASE_OK);
    expect(ALLOWANCE + LIMIT / 2 - 1, LIMIT);
}
END_TEST

SUITE_WITH("lease", set_up, NULL, TEST(lease_of_the_allowance_takes_no_budget),
           TEST(lease_beyond_the_allowance_is_the_budgets),
           TEST(lease_is_at_most_half_of_the_budget),
           TEST(lease_tells_busy_from_never))
