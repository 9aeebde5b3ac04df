#include "api/base/text.h"
#include "tests/unit.h"

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

UNIT_TEST(utf8_accepts_every_code_point_but_surrogates)
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

UNIT_TEST(utf8_refuses_values_past_the_last_code_point)
{
    unsigned char text[4];

    for (uint32_t c = 0x110000; c < 0x200000; c += 0x35) {
        encode(c, text);
        ck_assert_uint_eq(utf8_length(text, 4), 0);
    }
}

UNIT_TEST(utf8_refuses_overlong_forms)
{
    ck_assert_uint_eq(length("\xC0\x80", 2), 0);
    ck_assert_uint_eq(length("\xC1\xBF", 2), 0);
    ck_assert_uint_eq(length("\xE0\x80\x80", 3), 0);
    ck_assert_uint_eq(length("\xE0\x9F\xBF", 3), 0);
    ck_assert_uint_eq(length("\xF0\x80\x80\x80", 4), 0);
    ck_assert_uint_eq(length("\xF0\x8F\xBF\xBF", 4), 0);
}

UNIT_TEST(utf8_refuses_bytes_that_start_no_character)
{
    for (int byte = 0x80; byte < 0x100; byte++) {
        const char text[4] = {(char)byte, 'a', 'b', 'c'};

        ck_assert_uint_eq(length(text, 4), 0);
        ck_assert_uint_eq(length(text, 1), 0);
    }
}

UNIT_TEST(utf8_refuses_a_wrong_byte_at_every_position)
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

enum { SIZE = 8 };

static const struct {
    const char *text;
    size_t len; /* bytes of it that are given; more may follow */
    const char *result;
} accepted[] = {
    {"", 0, ""},
    {"abc", 3, "abc"},
    {"a%20b", 5, "a b"},
    {"%41", 3, "A"},
    {"%4a%4A", 6, "JJ"},
    {"%2e%2F%fF", 9, "./\xFF"},
    {"%01", 3, "\x01"},
    {"%25", 3, "%"},
    {"%2541", 5, "%41"},
    {"%41%42", 3, "A"},
    {"ab%", 2, "ab"},
    {"+", 1, "+"},
    {"12345678", 8, "12345678"},
    {"1234567%38", 10, "12345678"},
};

LOOP_TEST(percent_decodes_escapes, COUNT(accepted))
{
    char out[SIZE];
    size_t len;

    ck_assert(
        percent_decode(accepted[_i].text, accepted[_i].len, out, SIZE, &len));
    ck_assert_uint_eq(len, strlen(accepted[_i].result));
    ck_assert_mem_eq(out, accepted[_i].result, len);
}

/* What follows the given bytes would complete the escape. */
static const struct {
    const char *text;
    size_t len;
} refused[] = {
    {"%", 1},     {"%4", 2},   {"%41", 1},       {"%41", 2},
    {"a%41", 3},  {"%4g", 3},  {"%g4", 3},       {"%/0", 3},
    {"%:0", 3},   {"%@0", 3},  {"%G0", 3},       {"%`0", 3},
    {"%0G", 3},   {"% 41", 4}, {"%%41", 4},      {"%00", 3},
    {"a%00b", 5}, {"a\0b", 3}, {"123456789", 9}, {"12345678%39", 11},
};

LOOP_TEST(percent_refuses_broken_escapes_nul_and_long_texts, COUNT(refused))
{
    char out[SIZE + 1] = "";
    size_t len;

    ck_assert(
        !percent_decode(refused[_i].text, refused[_i].len, out, SIZE, &len));
    ck_assert_int_eq(out[SIZE], 0);
}

UNIT_TEST(percent_decodes_in_place)
{
    char text[] = "a%2Fb%2fc";
    size_t len;

    ck_assert(percent_decode(text, strlen(text), text, strlen(text), &len));
    ck_assert_uint_eq(len, 5);
    ck_assert_mem_eq(text, "a/b/c", 5);
}
