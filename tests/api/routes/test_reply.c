#include "api/api.h"
#include "api/routes/routes.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

/* One row per status code: its HTTP status. */
static const struct {
    enum status_code code;
    int status;
} codes[] = {
    {STATUS_OK, 200},        {STATUS_INVALID, 400},
    {STATUS_NOT_FOUND, 404}, {STATUS_NOT_SUPPORTED, 501},
    {STATUS_TOO_LARGE, 413}, {STATUS_BUSY, 503},
    {STATUS_CANCELLED, 503}, {STATUS_NO_MEMORY, 503},
    {STATUS_MALFORMED, 400}, {STATUS_INTERNAL, 500},
};

LOOP_TEST(reply_has_the_http_status_of_each_code, COUNT(codes))
{
    struct status st = {codes[_i].code, "why \"so\""};
    struct api_reply reply;

    api_reply_status(&reply, &st);
    ck_assert_int_eq(reply.status, codes[_i].status);
    ck_assert_str_eq(reply.content_type, "application/json");
    ck_assert_ptr_null(reply.allow);
    ck_assert_int_eq(reply.piece_count, 1);
    ck_assert_uint_eq(api_reply_bytes(&reply),
                      strlen("{\"error\":\"why \\\"so\\\"\"}"));
    ck_assert_int_eq(memcmp(reply.pieces[0].data,
                            "{\"error\":\"why \\\"so\\\"\"}",
                            reply.pieces[0].len),
                     0);
    ck_assert_str_eq(reply.error, "why \"so\"");
    ck_assert_int_eq(reply.malformed, codes[_i].code == STATUS_MALFORMED);
    api_reply_free(&reply);
    ck_assert_int_eq(reply.status, 0);
    ck_assert_int_eq(reply.piece_count, 0);
    ck_assert_ptr_null(reply.owned);
    ck_assert_ptr_null(reply.error);
    api_reply_free(&reply);
}

/* The text is the one that a reader of the JSON gets. */
UNIT_TEST(reply_has_an_error_in_utf8)
{
    struct api_reply reply;

    api_reply_error(&reply, 400, "'\xC3\xA9\xC3' \xFF.");
    ck_assert_str_eq(reply.error, "'\xC3\xA9\xEF\xBF\xBD' \xEF\xBF\xBD.");
    ck_assert_int_eq(memcmp(reply.pieces[0].data,
                            "{\"error\":\"'\xC3\xA9\xEF\xBF\xBD' "
                            "\xEF\xBF\xBD.\"}",
                            reply.pieces[0].len),
                     0);
    api_reply_free(&reply);
}

UNIT_TEST(reply_and_plan_that_are_zeroed_may_be_freed)
{
    struct api_reply reply = {0};
    struct api_plan plan = {0};

    ck_assert_uint_eq(api_reply_bytes(&reply), 0);
    api_reply_free(&reply);
    api_plan_free(&plan);
}

UNIT_TEST(reply_has_the_bytes_of_its_pieces)
{
    struct api_reply reply = {.piece_count = 2,
                              .pieces = {{"a", 1}, {"bc", 2}, {"no", 7}}};

    ck_assert_uint_eq(api_reply_bytes(&reply), 3);
}

/* What the writer has is freed. */
UNIT_TEST(reply_without_memory_is_503)
{
    static const char text[] = "{\"error\":\"out of memory\"}";
    struct writer w = {.grows = true, .len = 5, .failed = true};
    size_t before = heap_in_use();
    struct api_reply reply;

    w.data = calloc(1, 1 << 20);
    reply_text(&reply, 200, &w);
    ck_assert_uint_lt(heap_in_use(), before + (1 << 20));
    ck_assert_int_eq(reply.status, 503);
    ck_assert_str_eq(reply.content_type, "application/json");
    ck_assert_str_eq(reply.error, "out of memory");
    ck_assert_uint_eq(api_reply_bytes(&reply), sizeof(text) - 1);
    ck_assert_mem_eq(reply.pieces[0].data, text, sizeof(text) - 1);
    api_reply_free(&reply);
}
