/* The range of each float format. */
#include <string.h>

#include "api/number/number.h"
#include "tests/api/number/formats.h"
#include "tests/unit.h"

/* Decimals around the largest value of each format, and whether it accepts
 * them. */
static const struct {
    const char *text;
    bool fp16, bf16, fp32, fp64;
} edges[] = {
    {"65504", true, true, true, true},
    {"65519.99999999999999999999999", true, true, true, true},
    {"65520", false, true, true, true},
    {"6.552e4", false, true, true, true},
    {"-65520", false, true, true, true},
    {"3.3961775292304957e38", false, false, true, true},
    {"3.396177529230496e38", false, false, true, true},
    {"3.39617752923e38", false, true, true, true},
    {"3.4028235e38", false, false, true, true},
    {"340282356779733661637539395458142568447", false, false, true, true},
    {"340282356779733661637539395458142568448", false, false, false, true},
    {"1e39", false, false, false, true},
    {"1.7976931348623158e308", false, false, false, true},
    {"1.7976931348623159e308", false, false, false, false},
    {"1e309", false, false, false, false},
    {"-1e309", false, false, false, false},
    {"1e99999999999999999999999", false, false, false, false},
    {"0e99999999999999999999999", true, true, true, true},
    {"1e-99999999999999999999999", true, true, true, true},
    {"-0.0e5", true, true, true, true},
};

LOOP_TEST(number_refuses_values_that_round_to_infinity, COUNT(edges))
{
    const char *text = edges[_i].text;
    size_t len = strlen(text);
    uint16_t narrow;
    float single;
    double value;

    ck_assert_int_eq(number_parse_half(text, len, &narrow), edges[_i].fp16);
    ck_assert_int_eq(number_parse_bfloat(text, len, &narrow), edges[_i].bf16);
    ck_assert_int_eq(number_parse_float(text, len, &single), edges[_i].fp32);
    ck_assert_int_eq(number_parse_double(text, len, &value), edges[_i].fp64);
}
