#include <check.h>
#include <limits.h>
#include <string.h>

#include "api/number/number.h"
#include "tests/count.h"
#include "tests/suite.h"

static const struct {
    const char *text;
    long long exponent;
} exponents[] = {
    {"1", 0},          {"123", 2},        {"0.004", -3},
    {"-9.5", 0},       {"1e5", 5},        {"1E+5", 5},
    {"12e-3", -2},     {"0.01e2", 0},     {"0.5", -1},
    {"10.5", 1},       {"0", LLONG_MIN},  {"-0.000e9", LLONG_MIN},
    {"00", LLONG_MIN}, {"1e0000012", 12}, {"100e-2", 0},
    {"0.10", -1},      {"1000.0", 3},
};

START_TEST(decimal_exponent_is_that_of_the_first_digit)
{
    const char *text = exponents[_i].text;

    ck_assert_int_eq(number_exponent(text, text + strlen(text)),
                     exponents[_i].exponent);
}
END_TEST

/* An exponent of any length is far outside of any format. */
START_TEST(decimal_exponent_of_many_digits_does_not_overflow)
{
    static const char text[] = "1e99999999999999999999999999";
    static const char small[] = "1e-99999999999999999999999999";

    ck_assert_int_gt(number_exponent(text, text + sizeof(text) - 1), 1 << 30);
    ck_assert_int_lt(number_exponent(small, small + sizeof(small) - 1),
                     -(1 << 30));
}
END_TEST

static const struct {
    const char *text;
    double value;
    int order;
} orders[] = {
    {"1", 1, 0},
    {"1.000", 1, 0},
    {"10e-1", 1, 0},
    {"-1", 1, 0},
    {"1", -1, 0},
    {"0.001e3", 1, 0},
    {"1.0001", 1, 1},
    {"0.99999", 1, -1},
    {"9.99999", 10, -1},
    {"10.00001", 10, 1},
    {"10", 9.5, 1},
    {"9", 10, -1},
    {"2049", 2049, 0},
    {"2049.0001", 2049, 1},
    {"2048.9999", 2049, -1},
    {"0.5", 0.5, 0},
    {"0.50000000000000000000000000000000001", 0.5, 1},
    {"0.49999999999999999999999999999999999", 0.5, -1},
    {"1.25", 1.5, -1},
    {"1.75", 1.5, 1},
    {"15", 1.5, 1},
    {"0.15", 1.5, -1},
    {"2.98023223876953125e-8", 0x1p-25, 0},
    {"2.980232238769531250000000000000000000000001e-8", 0x1p-25, 1},
    {"2.98023223876953124999999999999999999999999e-8", 0x1p-25, -1},
};

START_TEST(decimal_is_compared_by_its_magnitude)
{
    const char *text = orders[_i].text;
    int order = number_compare(text, text + strlen(text), orders[_i].value);

    ck_assert_int_eq((order > 0) - (order < 0), orders[_i].order);
}
END_TEST

SUITE("decimal",
      LOOP(decimal_exponent_is_that_of_the_first_digit, COUNT(exponents)),
      TEST(decimal_exponent_of_many_digits_does_not_overflow),
      LOOP(decimal_is_compared_by_its_magnitude, COUNT(orders)))
