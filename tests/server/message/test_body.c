#include <check.h>
#include <string.h>

#include "server/message/body.h"
#include "tests/suite.h"

enum { LIMIT = 1 << 20, BUDGET = 3 << 20, STEP = 1 << 14 };

static struct options options = {.http_max_input_size = LIMIT};
static struct job_context context;
static struct body body;
static char data[LIMIT];

static void set_up(void)
{
    context = (struct job_context){.options = &options};
    buffer_pool_init(&context.buffer_pool, 0);
    admission_init(&context.admission, BUDGET, 1);
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 31);
    body_init(&body, &context);
}

static size_t reserved_bytes(void)
{
    return atomic_load(&context.admission.bytes);
}

static void tear_down(void)
{
    body_free(&body);
    ck_assert_uint_eq(reserved_bytes(), 0);
    buffer_pool_free(&context.buffer_pool);
}

START_TEST(body_only_announced_holds_little)
{
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    ck_assert_uint_le(reserved_bytes(), 64 << 10);
    ck_assert_ptr_null(body.buffer.data);
}
END_TEST

START_TEST(body_reservation_follows_appended_bytes)
{
    ck_assert_int_eq(body_announce(&body, 300000), BODY_OK);
    for (size_t at = 0; at < 300000; at += 1000) {
        ck_assert_int_eq(body_append(&body, data + at, 1000), BODY_OK);
        ck_assert_uint_ge(body.reserved, body.len);
        ck_assert_uint_le(body.reserved, 2 * body.len + (64 << 10));
    }
    ck_assert_uint_eq(body.reserved, 300000);
    ck_assert_mem_eq(body.buffer.data, data, 300000);
}
END_TEST

START_TEST(body_reservation_follows_received_bytes)
{
    unsigned char *to;

    ck_assert_int_eq(body_announce(&body, 300000), BODY_OK);
    for (size_t at = 0; at < 300000; at += 1000) {
        to = body_reserve(&body, 1000);
        ck_assert_ptr_nonnull(to);
        ck_assert_uint_ge(body.reserved, at + 1000);
        memcpy(to, data + at, 1000);
        body_received(&body, 1000);
    }
    ck_assert_ptr_null(body_reserve(&body, 1));
    ck_assert_mem_eq(body.buffer.data, data, 300000);
}
END_TEST

START_TEST(body_is_not_reserved_beyond_the_budget)
{
    ck_assert_int_eq(admission_reserve(&context.admission, 0, BUDGET - LIMIT),
                     ADMISSION_OK);
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    ck_assert_ptr_nonnull(body_reserve(&body, LIMIT));
    body_free(&body);
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    ck_assert_int_eq(admission_reserve(&context.admission, 0, LIMIT / 2),
                     ADMISSION_OK);
    ck_assert_ptr_null(body_reserve(&body, LIMIT));
    admission_release(&context.admission, BUDGET - LIMIT + LIMIT / 2);
}
END_TEST

/* Receives JSON up to `len` bytes of it: an array whose tokens take 10 bytes
 * each. */
static void receive_json(size_t len)
{
    static const char head[] = "{\"inputs\":[{\"name\":\"input\",\"datatype\":"
                               "\"INT32\",\"shape\":[9],\"data\":[";
    size_t at = body.len;
    unsigned char *to = body_reserve(&body, len - at);

    ck_assert_ptr_nonnull(to);
    for (size_t i = at; i < len; i++)
        to[i - at] =
            i < sizeof(head) - 1
                ? (unsigned char)head[i]
                : (unsigned char)"123456789,"[(i - sizeof(head) + 1) % 10];
    body_received(&body, len - at);
}

START_TEST(body_scan_gets_memory_as_bytes_arrive)
{
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    body_scan(&body);
    for (size_t at = STEP; at <= LIMIT; at += STEP) {
        size_t useful = api_early_capacity(body.early, at);

        receive_json(at);
        ck_assert_uint_ge(body.index_reserved, useful);
        ck_assert_uint_le(body.index_reserved, body.reserved / 8);
        ck_assert_uint_eq(reserved_bytes(),
                          body.reserved + body.index_reserved);
        ck_assert_uint_eq(reserved_bytes(), body_held(&body));
    }
}
END_TEST

START_TEST(body_is_received_without_memory_for_its_scan)
{
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_OK);
    body_scan(&body);
    receive_json(LIMIT / 2);
    ck_assert_uint_eq(body.index_reserved, LIMIT / 16);
    ck_assert_ptr_nonnull(body_reserve(&body, LIMIT / 2));
    admission_reserve(&context.admission, 0, BUDGET - reserved_bytes());
    receive_json(LIMIT);
    ck_assert_uint_eq(body.index_reserved, LIMIT / 16);
    admission_release(&context.admission, BUDGET - body_held(&body));
}
END_TEST

START_TEST(body_that_is_short_is_not_scanned)
{
    ck_assert_int_eq(body_announce(&body, STEP), BODY_OK);
    body_scan(&body);
    receive_json(STEP);
    ck_assert_uint_eq(body.index_reserved, 0);
    ck_assert_uint_eq(body_held(&body), STEP);
}
END_TEST

START_TEST(body_over_the_limit_is_refused_when_announced)
{
    ck_assert_int_eq(body_announce(&body, LIMIT + 1), BODY_TOO_LARGE);
    ck_assert_int_eq(body_announce(&body, UINT64_MAX), BODY_TOO_LARGE);
}
END_TEST

START_TEST(body_grows_in_steps_of_any_size)
{
    size_t step = (size_t)_i * 3001 + 1, at = 0;

    while (at + step <= 400000) {
        ck_assert_int_eq(body_append(&body, data + at, step), BODY_OK);
        at += step;
    }
    ck_assert_uint_eq(body.len, at);
    ck_assert_uint_le(body.reserved, 2 * at + (64 << 10));
    ck_assert_mem_eq(body.buffer.data, data, at);
}
END_TEST

START_TEST(body_may_be_as_long_as_the_limit)
{
    ck_assert_int_eq(body_append(&body, data, LIMIT), BODY_OK);
    ck_assert_int_eq(body_append(&body, data, 1), BODY_TOO_LARGE);
    ck_assert_uint_eq(body.reserved, LIMIT);
}
END_TEST

START_TEST(body_is_refused_when_the_budget_is_used_up)
{
    struct body held[3];

    for (int i = 0; i < 3; i++) {
        body_init(&held[i], &context);
        ck_assert_int_eq(body_append(&held[i], data, LIMIT), BODY_OK);
    }
    ck_assert_int_eq(body_announce(&body, 1), BODY_BUSY);
    ck_assert_int_eq(body_append(&body, data, 1), BODY_BUSY);
    for (int i = 0; i < 3; i++)
        body_free(&held[i]);
    admission_init(&context.admission, LIMIT / 2, 1);
    ck_assert_int_eq(body_announce(&body, LIMIT), BODY_NEVER);
}
END_TEST

SUITE_WITH("body", set_up, tear_down, TEST(body_only_announced_holds_little),
           TEST(body_reservation_follows_appended_bytes),
           TEST(body_reservation_follows_received_bytes),
           TEST(body_is_not_reserved_beyond_the_budget),
           TEST(body_scan_gets_memory_as_bytes_arrive),
           TEST(body_is_received_without_memory_for_its_scan),
           TEST(body_that_is_short_is_not_scanned),
           TEST(body_over_the_limit_is_refused_when_announced),
           LOOP(body_grows_in_steps_of_any_size, 40),
           TEST(body_may_be_as_long_as_the_limit),
           TEST(body_is_refused_when_the_budget_is_used_up))
