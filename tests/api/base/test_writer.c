#include <inttypes.h>
#include <jansson.h>

#include "api/base/writer.h"
#include "tests/unit.h"

static void check_string(const char *text, size_t len, const char *want)
{
    const unsigned char *bytes = (const unsigned char *)text;
    bool is_utf8 = !strstr(want, "\xEF\xBF\xBD");
    struct writer w = {.grows = true};
    char out[100];
    size_t length;

    json_write_string_bytes(&w, text, len);
    ck_assert(!w.failed);
    ck_assert_uint_eq(w.len, strlen(want));
    ck_assert_int_eq(memcmp(w.data, want, w.len), 0);
    w.len = 0;
    writer_utf8(&w, text, len);
    ck_assert_int_eq(!memmem(w.data, w.len, "\xEF\xBF\xBD", 3), is_utf8);
    ck_assert(!is_utf8 || (w.len == len && memcmp(w.data, text, len) == 0));
    free(w.data);
    ck_assert(json_text_length(bytes, len, &length) == is_utf8);
    if (!is_utf8)
        return;
    ck_assert_uint_eq(length, strlen(want));
    ck_assert_ptr_eq(json_text_write(bytes, len, out), out + length);
    ck_assert_int_eq(memcmp(out, want, length), 0);
}

UNIT_TEST(writer_escapes_only_what_json_demands)
{
    check_string("", 0, "\"\"");
    check_string("a/b", 3, "\"a/b\"");
    check_string("q\"b\\", 4, "\"q\\\"b\\\\\"");
    check_string("\0\n\r\t\b\f\x1F", 7, "\"\\u0000\\n\\r\\t\\b\\f\\u001f\"");
    check_string("\x7F", 1, "\"\x7F\"");
    check_string("\xC3\xA9\xF0\x9F\x98\x80", 6, "\"\xC3\xA9\xF0\x9F\x98\x80\"");
}

UNIT_TEST(writer_replaces_each_byte_of_invalid_utf8)
{
    check_string("a\xFFz", 3, "\"a\xEF\xBF\xBDz\"");
    check_string("\xC3", 1, "\"\xEF\xBF\xBD\"");
    check_string("\xE2\x82", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    check_string("\xED\xA0\x80", 3, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

UNIT_TEST(writer_strings_read_back_as_written)
{
    char text[128];
    struct writer w = {.grows = true};
    json_t *read;

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)i;
    json_write_string_bytes(&w, text, sizeof(text));
    read = json_loadb(w.data, w.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    ck_assert_uint_eq(json_string_length(read), sizeof(text));
    ck_assert_int_eq(memcmp(json_string_value(read), text, sizeof(text)), 0);
    json_decref(read);
    free(w.data);
}

UNIT_TEST(writer_prints_the_extremes_of_numbers)
{
    struct shape shape = {.rank = 3, .dims = {0, INT64_MAX, 7}};
    struct shape scalar = {.rank = 0};
    struct writer w = {.grows = true};

    json_write_int(&w, INT64_MIN);
    writer_text(&w, " ");
    json_write_uint(&w, UINT64_MAX);
    json_write_shape(&w, &shape);
    json_write_shape(&w, &scalar);
    writer_bytes(&w, "", 1);
    ck_assert_str_eq(w.data, "-9223372036854775808 18446744073709551615"
                             "[0,9223372036854775807,7][]");
    free(w.data);
}

UNIT_TEST(writer_prints_numbers_of_every_length)
{
    uint64_t power = 1;
    char want[96];

    for (int digits = 0; digits < 20; digits++, power *= 10) {
        struct writer w = {.grows = true};

        json_write_uint(&w, power - 1);
        writer_text(&w, " ");
        json_write_uint(&w, power);
        writer_text(&w, " ");
        json_write_int(&w, -(int64_t)(power / 10));
        snprintf(want, sizeof(want), "%" PRIu64 " %" PRIu64 " %" PRId64,
                 power - 1, power, -(int64_t)(power / 10));
        ck_assert_uint_eq(w.len, strlen(want));
        ck_assert_int_eq(memcmp(w.data, want, w.len), 0);
        free(w.data);
    }
}

UNIT_TEST(writer_grows_past_any_first_size)
{
    struct writer w = {.grows = true};
    size_t len = 100000;
    char *text = malloc(len);

    memset(text, 'x', len);
    for (int i = 0; i < 3; i++)
        writer_bytes(&w, text, len);
    ck_assert(!w.failed);
    ck_assert_uint_eq(w.len, 3 * len);
    ck_assert_int_eq(memcmp(w.data + 2 * len, text, len), 0);
    free(text);
    free(w.data);
}

UNIT_TEST(writer_stops_at_the_end_of_a_given_buffer)
{
    char *buffer = malloc(4);
    struct writer w = {.data = buffer, .size = 4};

    writer_text(&w, "abcd");
    ck_assert(!w.failed);
    writer_text(&w, "e");
    ck_assert(w.failed);
    ck_assert_uint_eq(w.len, 4);
    ck_assert_int_eq(memcmp(buffer, "abcd", 4), 0);
    free(buffer);
}
