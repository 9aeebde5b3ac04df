#include <stdint.h>

#include "server/limits/budget.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

enum { ALLOWANCE = CONNECTION_COST_ALLOWANCE, LIMIT = 1000, MOST = 750 };

static struct budget budget;
static struct lease lease;

static void set_up(void)
{
    budget_init(&budget, LIMIT, 0);
    lease_init(&lease, &budget, NULL);
}

static void expect(size_t held, size_t leased)
{
    ck_assert_uint_eq(lease.held, held);
    ck_assert_uint_eq(atomic_load(&budget.leased), leased);
}

UNIT_TEST(lease_of_the_allowance_takes_no_budget)
{
    ck_assert(budget_lease(&budget, LIMIT));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE - 1), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_OK);
    expect(ALLOWANCE, LIMIT);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_BUSY);
    expect(ALLOWANCE, LIMIT);
    lease_give(&lease, ALLOWANCE);
    expect(0, LIMIT);
    atomic_store(&budget.unleased, 2 * LIMIT); /* less than no room */
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE), LEASE_OK);
    budget_give(&budget, LIMIT);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_BUSY);
}

UNIT_TEST(lease_beyond_the_allowance_is_the_budgets)
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

UNIT_TEST(lease_leaves_a_quarter_of_the_budget)
{
    ck_assert_uint_eq(lease_most(&lease), ALLOWANCE + MOST);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + MOST + 1), LEASE_NEVER);
    ck_assert_int_eq(lease_take(&lease, SIZE_MAX), LEASE_NEVER);
    expect(0, 0);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + MOST), LEASE_OK);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_NEVER);
    ck_assert_int_eq(lease_take(&lease, SIZE_MAX), LEASE_NEVER);
    expect(ALLOWANCE + MOST, MOST);
}

UNIT_TEST(lease_tells_busy_from_never)
{
    struct lease other;

    lease_init(&other, &budget, NULL);
    ck_assert_int_eq(lease_take(&other, ALLOWANCE + MOST), LEASE_OK);
    ck_assert(budget_lease(&budget, 1));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT - MOST), LEASE_BUSY);
    expect(0, MOST + 1);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + LIMIT - MOST - 1),
                     LEASE_OK);
    expect(ALLOWANCE + LIMIT - MOST - 1, LIMIT);
}

UNIT_TEST(lease_counts_the_address_of_the_client)
{
    static const struct peer client = {.address = {[15] = 1}, .port = 1};
    static const struct peer same = {.address = {[15] = 1}, .port = 2};
    static const struct peer another = {.address = {[7] = 2}, .port = 1};
    struct lease second, third, local;
    struct status st;

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
    budget_free(&budget);
}

UNIT_TEST(lease_of_an_address_leaves_a_quarter_too)
{
    static const struct peer client = {.address = {[15] = 1}};
    struct status st;

    ck_assert(budget_limit_addresses(&budget, MOST + 1, 10, &st));
    lease_init(&lease, &budget, &client);
    ck_assert_uint_eq(lease_most(&lease), ALLOWANCE + MOST);
    budget_free(&budget);
}

UNIT_TEST(budget_leaves_no_memory_behind)
{
    struct status st;
    size_t before = 0;

    for (int i = 0; i < 20; i++) {
        set_up();
        ck_assert(budget_limit_addresses(&budget, 1, 10, &st));
        budget_free(&budget);
        if (i == 9)
            before = heap_in_use();
    }
    ck_assert_uint_lt(heap_in_use(), before + 10 * 32);
}

UNIT_TEST(lease_beside_another_has_no_allowance)
{
    lease_init(&lease, &budget, NULL);
    lease.allowance = 0;
    ck_assert_uint_eq(lease_most(&lease), budget.limit - budget.limit / 4);
    ck_assert_int_eq(lease_take(&lease, 1), LEASE_OK);
    ck_assert_uint_eq(atomic_load(&budget.leased), 1);
    lease_give(&lease, 1);
    ck_assert_uint_eq(atomic_load(&budget.leased), 0);
}

UNIT_TEST(lease_that_the_budget_refuses_does_not_count)
{
    static const struct peer client = {.address = {[15] = 1}};
    struct status st;

    ck_assert(budget_limit_addresses(&budget, 300, 10, &st));
    lease_init(&lease, &budget, &client);
    ck_assert(budget_lease(&budget, LIMIT));
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + 300), LEASE_BUSY);
    budget_give(&budget, LIMIT);
    ck_assert_int_eq(lease_take(&lease, ALLOWANCE + 300), LEASE_OK);
    lease_give(&lease, ALLOWANCE + 300);
    budget_free(&budget);
}

FIXTURE(set_up, NULL)
