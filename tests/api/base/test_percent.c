#include <check.h>
#include <string.h>

#include "api/base/percent.h"
#include "tests/count.h"
#include "tests/suite.h"

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

START_TEST(percent_decodes_escapes)
{
    char out[SIZE];
    size_t len;

    ck_assert(
        percent_decode(accepted[_i].text, accepted[_i].len, out, SIZE, &len));
    ck_assert_uint_eq(len, strlen(accepted[_i].result));
    ck_assert_mem_eq(out, accepted[_i].result, len);
}
END_TEST

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

START_TEST(percent_refuses_broken_escapes_nul_and_long_texts)
{
    char out[SIZE + 1] = "";
    size_t len;

    ck_assert(
        !percent_decode(refused[_i].text, refused[_i].len, out, SIZE, &len));
    ck_assert_int_eq(out[SIZE], 0);
}
END_TEST

START_TEST(percent_decodes_in_place)
{
    char text[] = "a%2Fb%2fc";
    size_t len;

    ck_assert(percent_decode(text, strlen(text), text, strlen(text), &len));
    ck_assert_uint_eq(len, 5);
    ck_assert_mem_eq(text, "a/b/c", 5);
}
END_TEST

SUITE("percent", LOOP(percent_decodes_escapes, COUNT(accepted)),
      LOOP(percent_refuses_broken_escapes_nul_and_long_texts, COUNT(refused)),
      TEST(percent_decodes_in_place))
