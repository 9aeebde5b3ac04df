#include <check.h>
#include <string.h>

#include "server/http/body.h"
#include "tests/suite.h"

enum { LIMIT = 1 << 20, BUDGET = 3 << 20 };

static struct options options = {.http_max_input_size = LIMIT};
static struct job_context context;
static char data[LIMIT];

static void set_up(void)
{
    context = (struct job_context){.options = &options};
    buffer_pool_init(&context.buffer_pool, 0);
    admission_init(&context.admission, BUDGET, 1);
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 31);
}

static void tear_down(void)
{
    ck_assert_uint_eq(atomic_load(&context.admission.bytes), 0);
    buffer_pool_free(&context.buffer_pool);
}

START_TEST(body_only_announced_holds_little)
{
    struct body body = {.len = 0};

    ck_assert_int_eq(body_announce(&body, &context, LIMIT), BODY_OK);
    ck_assert_uint_le(atomic_load(&context.admission.bytes), 64 << 10);
    ck_assert_ptr_null(body.buffer.data);
    body_free(&body, &context, 0);
}
END_TEST

START_TEST(body_announced_is_reserved_as_it_comes)
{
    struct body body = {.len = 0};

    ck_assert_int_eq(body_announce(&body, &context, 300000), BODY_OK);
    for (size_t at = 0; at < 300000; at += 1000) {
        ck_assert_int_eq(body_append(&body, &context, data + at, 1000, 0),
                         BODY_OK);
        ck_assert_uint_ge(body.reserved, body.len);
        ck_assert_uint_le(body.reserved, 2 * body.len + (64 << 10));
    }
    ck_assert_uint_eq(body.reserved, 300000);
    ck_assert_mem_eq(body.buffer.data, data, 300000);
    body_free(&body, &context, 0);
}
END_TEST

START_TEST(body_received_in_place_is_reserved_as_it_comes)
{
    struct body body = {.len = 0};
    unsigned char *place;

    ck_assert_int_eq(body_announce(&body, &context, 300000), BODY_OK);
    for (size_t at = 0; at < 300000; at += 1000) {
        place = body_place(&body, &context, 1000, 0);
        ck_assert_ptr_nonnull(place);
        ck_assert_uint_ge(body.reserved, at + 1000);
        memcpy(place, data + at, 1000);
        body.len += 1000;
    }
    ck_assert_ptr_null(body_place(&body, &context, 1, 0));
    ck_assert_mem_eq(body.buffer.data, data, 300000);
    body_free(&body, &context, 0);
}
END_TEST

START_TEST(body_has_no_place_where_there_is_no_room)
{
    struct body body = {.len = 0};

    ck_assert_int_eq(body_announce(&body, &context, LIMIT), BODY_OK);
    ck_assert_int_eq(admission_reserve(&context.admission, 0, BUDGET - LIMIT),
                     ADMISSION_OK);
    ck_assert_ptr_nonnull(body_place(&body, &context, LIMIT, 0));
    body_free(&body, &context, 0);
    ck_assert_int_eq(admission_reserve(&context.admission, 0, LIMIT / 2),
                     ADMISSION_OK);
    ck_assert_int_eq(body_announce(&body, &context, LIMIT / 2), BODY_OK);
    admission_reserve(&context.admission, 0, LIMIT / 2 - body.reserved);
    ck_assert_ptr_null(body_place(&body, &context, LIMIT / 2, 0));
    body_free(&body, &context, 0);
    admission_release(&context.admission,
                      atomic_load(&context.admission.bytes));
}
END_TEST

START_TEST(body_is_noted_as_it_comes)
{
    struct body body = {.len = 0};
    struct token_lengths lengths = {.count = 0};

    ck_assert_int_eq(body_announce(&body, &context, LIMIT), BODY_OK);
    for (size_t at = 0; at < LIMIT; at += 1 << 14) {
        ck_assert_ptr_nonnull(body_place(&body, &context, 1 << 14, 0));
        body.len += 1 << 14;
        body_note(&body, &context, &lengths);
        ck_assert_uint_ge(lengths.capacity, body.len / 8);
        ck_assert_uint_le(lengths.capacity, body.reserved / 8);
        ck_assert_uint_eq(atomic_load(&context.admission.bytes),
                          body.reserved + lengths.capacity);
        memset(lengths.lens, 1, lengths.capacity);
    }
    body_free(&body, &context, 0);
}
END_TEST

/* Where there is no room for them, notes do without. */
START_TEST(body_comes_without_notes)
{
    struct body body = {.len = 0};
    struct token_lengths lengths = {.count = 0};

    ck_assert_int_eq(body_announce(&body, &context, LIMIT), BODY_OK);
    ck_assert_ptr_nonnull(body_place(&body, &context, LIMIT / 2, 0));
    body_note(&body, &context, &lengths);
    ck_assert_uint_eq(lengths.capacity, LIMIT / 16);
    ck_assert_ptr_nonnull(body_place(&body, &context, LIMIT, 0));
    admission_reserve(&context.admission, 0,
                      BUDGET - atomic_load(&context.admission.bytes));
    body_note(&body, &context, &lengths);
    ck_assert_uint_eq(lengths.capacity, LIMIT / 16);
    body_free(&body, &context, 0);
    admission_release(&context.admission,
                      atomic_load(&context.admission.bytes));
}
END_TEST

START_TEST(body_over_the_limit_is_refused_when_announced)
{
    struct body body = {.len = 0};

    ck_assert_int_eq(body_announce(&body, &context, LIMIT + 1), BODY_TOO_LARGE);
    ck_assert_int_eq(body_announce(&body, &context, UINT64_MAX),
                     BODY_TOO_LARGE);
    body_free(&body, &context, 0);
}
END_TEST

START_TEST(body_grows_in_steps_of_any_size)
{
    struct body body = {.len = 0};
    size_t step = (size_t)_i * 3001 + 1, at = 0;

    while (at + step <= 400000) {
        ck_assert_int_eq(body_append(&body, &context, data + at, step, 0),
                         BODY_OK);
        at += step;
    }
    ck_assert_uint_eq(body.len, at);
    ck_assert_uint_le(body.reserved, 2 * at + (64 << 10));
    ck_assert_mem_eq(body.buffer.data, data, at);
    body_free(&body, &context, 0);
}
END_TEST

START_TEST(body_takes_exactly_the_limit)
{
    struct body body = {.len = 0};

    ck_assert_int_eq(body_append(&body, &context, data, LIMIT, 0), BODY_OK);
    ck_assert_int_eq(body_append(&body, &context, data, 1, 0), BODY_TOO_LARGE);
    ck_assert_uint_eq(body.reserved, LIMIT);
    body_free(&body, &context, 0);
}
END_TEST

START_TEST(body_that_finds_no_room_is_refused)
{
    struct body held[4] = {{.len = 0}};

    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(body_append(&held[i], &context, data, LIMIT, 0),
                         BODY_OK);
    ck_assert_int_eq(body_announce(&held[3], &context, 1), BODY_BUSY);
    ck_assert_int_eq(body_append(&held[3], &context, data, 1, 0), BODY_BUSY);
    for (int i = 0; i < 4; i++)
        body_free(&held[i], &context, 0);
    admission_init(&context.admission, LIMIT / 2, 1);
    ck_assert_int_eq(body_announce(&held[0], &context, LIMIT), BODY_NEVER);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("body");
    TCase *tc = tcase_create("core");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, body_only_announced_holds_little);
    tcase_add_test(tc, body_announced_is_reserved_as_it_comes);
    tcase_add_test(tc, body_received_in_place_is_reserved_as_it_comes);
    tcase_add_test(tc, body_has_no_place_where_there_is_no_room);
    tcase_add_test(tc, body_is_noted_as_it_comes);
    tcase_add_test(tc, body_comes_without_notes);
    tcase_add_test(tc, body_over_the_limit_is_refused_when_announced);
    tcase_add_loop_test(tc, body_grows_in_steps_of_any_size, 0, 40);
    tcase_add_test(tc, body_takes_exactly_the_limit);
    tcase_add_test(tc, body_that_finds_no_room_is_refused);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
