#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/document/clamp_numbers.h"
#include "tests/count.h"
#include "tests/suite.h"

/* Texts without a number that is too large. */
static const char *const kept[] = {
    "",
    "{}",
    "{\"a\":9223372036854775807,\"b\":-9223372036854775808}",
    "[0000000000000000000001 ]",
    "{\"18446744073709551615\":\"18446744073709551615\"}",
    "[\"\\\"18446744073709551615,\"]",
    "[18446744073709551615.0,18446744073709551615e0,1.18446744073709551615]",
    "[1e308,0e18446744073709551615,1e-400,1e-999,9.999e+0308x]",
    "[18446744073709551615x]",
    "\"18446744073709551615",
    "18446744073709551615",
    "-",
};

static const struct {
    const char *from, *to;
} changed[] = {
    {"[9223372036854775808]", "[9223372036854775e+3]"},
    {"[-9223372036854775809]", "[-9223372036854775e+3]"},
    {"{\"a\":18446744073709551615}", "{\"a\":18446744073709551e+3}"},
    {"{\"a\\\"\":18446744073709551615 }", "{\"a\\\"\":18446744073709551e+3 }"},
    {"[1,99999999999999999999,\"99999999999999999999\",88888888888888888888]",
     "[1,99999999999999999e+3,\"99999999999999999999\",88888888888888888e+3]"},
    {"[--99999999999999999999]", "[--99999999999999999e+3]"},
    {"[1e400,1.5E+309,-12.5e0999,\"1e400\"]",
     "[1e099,1.5E+099,-12.5e0099,\"1e400\"]"},
    {"[1.e400,01e400,+1e400 ]", "[1.e099,01e099,+1e099 ]"},
    /* Never into a number in the range of FP32. */
    {"[1e400,0.00000000000000000000000000000000000000000000000000000000000000"
     "0001e999]",
     "[1e099,0.00000000000000000000000000000000000000000000000000000000000000"
     "0001e999]"},
};

START_TEST(numbers_that_fit_are_kept)
{
    char text[200];

    snprintf(text, sizeof(text), "%s", kept[_i]);
    ck_assert(!clamp_numbers(text, strlen(text)));
    ck_assert_str_eq(text, kept[_i]);
}
END_TEST

START_TEST(numbers_that_do_not_fit_become_others)
{
    char text[200];

    snprintf(text, sizeof(text), "%s", changed[_i].from);
    ck_assert(clamp_numbers(text, strlen(text)));
    ck_assert_str_eq(text, changed[_i].to);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("clamp_numbers");
    TCase *tc = tcase_create("clamp_numbers");

    tcase_add_loop_test(tc, numbers_that_fit_are_kept, 0, COUNT(kept));
    tcase_add_loop_test(tc, numbers_that_do_not_fit_become_others, 0,
                        COUNT(changed));
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
