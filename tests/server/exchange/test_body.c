#include <string.h>

#include "server/exchange/body.h"
#include "tests/unit.h"

enum { LIMIT = 1 << 20, BUDGET = 3 << 20, STEP = 1 << 14 };

static struct job_context context;
static struct lease lease;
static struct body body;
static char data[LIMIT];

static void set_up(void)
{
    budget_init(&context.budget, BUDGET, 0);
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 31);
    lease_init(&lease, &context.budget, NULL);
    body_init(&body, &context, &lease);
    body.limit = LIMIT;
}

static void tear_down(void)
{
    body_free(&body);
    ck_assert_uint_eq(lease.held, 0);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
    budget_free(&context.budget);
}

UNIT_TEST(body_lease_follows_appended_bytes)
{
    ck_assert_int_eq(body_announce(&body, 300000), BODY_OK);
    for (size_t at = 0; at < 300000; at += 1000) {
        ck_assert_int_eq(body_append(&body, data + at, 1000), BODY_OK);
        ck_assert_uint_ge(body.reserved, body.len);
        ck_assert_uint_le(body.reserved, 2 * body.len + (4 << 10));
    }
    ck_assert_uint_eq(body.reserved, 300000);
    ck_assert_mem_eq(body.buffer.data, data, 300000);
}

/* Receives up to `step` bytes at a time until `len` are there. */
static void receive(size_t len, size_t step)
{
    while (body.len < len) {
        size_t left = LIMIT - body.len;
        size_t size = left < 256 << 10 ? left : 256 << 10;
        unsigned char *to = body_reserve(&body, &size);

        ck_assert_ptr_nonnull(to);
        ck_assert_uint_ge(size, 1);
        ck_assert_uint_ge(body.reserved, body.len + size);
        if (size > step)
            size = step;
        memcpy(to, data + body.len, size);
        body_received(&body, size);
    }
}

UNIT_TEST(body_lease_follows_received_bytes)
{
    size_t one = 1;

    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    ck_assert_uint_eq(lease.held, 0);
    ck_assert_ptr_null(body.buffer.data);
    while (body.len < LIMIT) {
        size_t before = body.len;

        receive(before + 1000 < LIMIT ? before + 1000 : LIMIT, 1000);
        ck_assert_uint_le(body.reserved, 2 * before + (64 << 10));
    }
    ck_assert_ptr_null(body_reserve(&body, &one));
    ck_assert_mem_eq(body.buffer.data, data, LIMIT);
}

UNIT_TEST(body_offers_twice_what_has_come)
{
    static const size_t offers[] = {64 << 10, 64 << 10, 128 << 10, 256 << 10};

    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    for (size_t i = 0; i < COUNT(offers); i++) {
        size_t size = 256 << 10;

        ck_assert_ptr_nonnull(body_reserve(&body, &size));
        ck_assert_uint_eq(size, offers[i]);
        body_received(&body, size);
    }
}

UNIT_TEST(body_is_not_received_beyond_the_budget)
{
    size_t rest = 200 << 10;

    ck_assert(budget_lease(&context.budget, BUDGET - (64 << 10)));
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    receive(128 << 10, LIMIT);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), BUDGET);
    ck_assert_ptr_null(body_reserve(&body, &rest));
    ck_assert_int_eq(body_append(&body, data, 1), BODY_BUSY);
    budget_give(&context.budget, BUDGET - (64 << 10));
    ck_assert_ptr_nonnull(body_reserve(&body, &rest));
}

/* Receives JSON up to `len` bytes of it, a step at a time: an array whose
 * tokens take 10 bytes each. */
static void receive_step(size_t len)
{
    static const char head[] = "{\"inputs\":[{\"name\":\"input\",\"datatype\":"
                               "\"INT32\",\"shape\":[9],\"data\":[";
    size_t at = body.len;
    size_t size = len - at;
    unsigned char *to = body_reserve(&body, &size);

    ck_assert_ptr_nonnull(to);
    ck_assert_uint_eq(size, len - at);
    for (size_t i = at; i < len; i++)
        to[i - at] =
            i < sizeof(head) - 1
                ? (unsigned char)head[i]
                : (unsigned char)"123456789,"[(i - sizeof(head) + 1) % 10];
    body_received(&body, len - at);
}

static void receive_json(size_t len)
{
    while (body.len < len)
        receive_step(body.len / STEP * STEP + STEP);
}

UNIT_TEST(body_scan_gets_memory_as_bytes_arrive)
{
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    body_scan(&body);
    for (size_t at = STEP; at <= LIMIT; at += STEP) {
        size_t useful = api_early_capacity(body.early, at);

        receive_step(at);
        ck_assert_uint_ge(body.index_reserved, useful);
        ck_assert_uint_le(body.index_reserved, body.reserved / 8);
        ck_assert_uint_eq(lease.held, body.reserved + body.index_reserved);
    }
}

/* What is not given back to the pool is lost: it is no block of the heap. */
UNIT_TEST(body_gives_its_buffers_back)
{
    size_t all;

    budget_free(&context.budget);
    budget_init(&context.budget, BUDGET, BUDGET);
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    body_scan(&body);
    receive_json(LIMIT);
    ck_assert_uint_ge(body.index.capacity, BUDGET_MAPPED);
    all = body.buffer.capacity + body.index.capacity;
    ck_assert_uint_gt(all, LIMIT + LIMIT / 8);
    body_free(&body);
    ck_assert_uint_eq(atomic_load(&context.budget.kept), all);
    ck_assert_uint_eq(atomic_load(&context.budget.unleased), 0);
}

UNIT_TEST(body_is_received_without_memory_for_its_scan)
{
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    body_scan(&body);
    receive_json(LIMIT / 2);
    ck_assert_uint_eq(body.index_reserved, LIMIT / 16);
    ck_assert_int_eq(body_append(&body, data, 1), BODY_OK);
    ck_assert_uint_eq(body.reserved, LIMIT);
    ck_assert(budget_lease(&context.budget,
                           BUDGET - atomic_load(&context.budget.leased)));
    receive_json(LIMIT);
    ck_assert_uint_eq(body.index_reserved, LIMIT / 16);
    budget_give(&context.budget, BUDGET - body.reserved - body.index_reserved +
                                     CONNECTION_COST_ALLOWANCE);
}

UNIT_TEST(body_that_is_short_is_not_scanned)
{
    ck_assert_int_eq(body_announce(&body, STEP), BODY_OK);
    body_scan(&body);
    receive_json(STEP);
    ck_assert_uint_eq(body.index_reserved, 0);
    ck_assert_uint_eq(lease.held, STEP);
}

LOOP_TEST(body_grows_in_steps_of_any_size, 40)
{
    size_t step = (size_t)_i * 3001 + 1, at = 0;

    while (at + step <= 400000) {
        ck_assert_int_eq(body_append(&body, data + at, step), BODY_OK);
        at += step;
    }
    ck_assert_uint_eq(body.len, at);
    ck_assert_uint_le(body.reserved, 2 * at + (4 << 10));
    ck_assert_mem_eq(body.buffer.data, data, at);
}

UNIT_TEST(body_may_be_as_long_as_the_limit)
{
    ck_assert_int_eq(body_announce(&body, LIMIT + 1), BODY_TOO_LARGE);
    ck_assert_int_eq(body_announce(&body, UINT64_MAX), BODY_TOO_LARGE);
    ck_assert_int_eq(body_append(&body, data, LIMIT), BODY_OK);
    ck_assert_int_eq(body_append(&body, data, 1), BODY_TOO_LARGE);
    ck_assert_uint_eq(body.reserved, LIMIT);
}

UNIT_TEST(body_is_refused_when_the_budget_is_used_up)
{
    size_t small = CONNECTION_COST_ALLOWANCE;

    ck_assert(budget_lease(&context.budget, BUDGET));
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    ck_assert_int_eq(body_append(&body, data, small), BODY_OK);
    ck_assert_int_eq(body_append(&body, data, 1), BODY_BUSY);
    ck_assert_uint_eq(body.len, small);
    budget_give(&context.budget, BUDGET);
}

UNIT_TEST(body_that_can_never_fit_is_refused_when_announced)
{
    size_t most;

    budget_init(&context.budget, LIMIT / 2, 0);
    most = lease_most(&lease);
    ck_assert_uint_eq(most, LIMIT / 2 - LIMIT / 8 + CONNECTION_COST_ALLOWANCE);
    ck_assert_int_eq(body_announce(&body, most + 1), BODY_NEVER);
    ck_assert_int_eq(body_announce(&body, most), BODY_OK);
}

FIXTURE(set_up, tear_down)
