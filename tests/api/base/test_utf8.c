#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/utf8.h"
#include "tests/suite.h"

static size_t length(const char *bytes, size_t len)
{
    unsigned char *exact = malloc(len);
    size_t result;

    memcpy(exact, bytes, len);
    result = utf8_length(exact, len);
    free(exact);
    return result;
}

/* Encodes a code point by the definition of UTF-8, surrogates too. */
static size_t encode(uint32_t c, unsigned char *out)
{
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (unsigned char)(0xC0 | c >> 6);
        out[1] = (unsigned char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (unsigned char)(0xE0 | c >> 12);
        out[1] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (unsigned char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (unsigned char)(0xF0 | c >> 18);
    out[1] = (unsigned char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (unsigned char)(0x80 | (c & 0x3F));
    return 4;
}

START_TEST(utf8_accepts_every_code_point_but_surrogates)
{
    unsigned char text[4];

    for (uint32_t c = 0; c < 0x110000; c++) {
        size_t len = encode(c, text);
        size_t want = c >= 0xD800 && c <= 0xDFFF ? 0 : len;

        if (utf8_length(text, len) != want ||
            (len > 1 && utf8_length(text, len - 1) != 0))
            ck_abort_msg("U+%04X", c);
    }
}
END_TEST

START_TEST(utf8_refuses_values_past_the_last_code_point)
{
    unsigned char text[4];

    for (uint32_t c = 0x110000; c < 0x200000; c += 0x35) {
        encode(c, text);
        ck_assert_uint_eq(utf8_length(text, 4), 0);
    }
}
END_TEST

START_TEST(utf8_refuses_overlong_forms)
{
    ck_assert_uint_eq(length("\xC0\x80", 2), 0);
    ck_assert_uint_eq(length("\xC1\xBF", 2), 0);
    ck_assert_uint_eq(length("\xE0\x80\x80", 3), 0);
    ck_assert_uint_eq(length("\xE0\x9F\xBF", 3), 0);
    ck_assert_uint_eq(length("\xF0\x80\x80\x80", 4), 0);
    ck_assert_uint_eq(length("\xF0\x8F\xBF\xBF", 4), 0);
}
END_TEST

START_TEST(utf8_refuses_bytes_that_start_no_character)
{
    for (int byte = 0x80; byte < 0x100; byte++) {
        const char text[4] = {(char)byte, 'a', 'b', 'c'};

        ck_assert_uint_eq(length(text, 4), 0);
        ck_assert_uint_eq(length(text, 1), 0);
    }
}
END_TEST

START_TEST(utf8_refuses_a_wrong_byte_at_every_position)
{
    static const char full[] = "\xF1\x82\x83\x84";
    char text[4];

    for (int position = 1; position < 4; position++) {
        for (int byte = 0; byte < 0x100; byte++) {
            memcpy(text, full, 4);
            text[position] = (char)byte;
            ck_assert_uint_eq(length(text, 4), (byte & 0xC0) == 0x80 ? 4 : 0);
        }
    }
}
END_TEST

SUITE("utf8", TEST(utf8_accepts_every_code_point_but_surrogates),
      TEST(utf8_refuses_values_past_the_last_code_point),
      TEST(utf8_refuses_overlong_forms),
      TEST(utf8_refuses_bytes_that_start_no_character),
      TEST(utf8_refuses_a_wrong_byte_at_every_position))
