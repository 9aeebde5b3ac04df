#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/number/number.h"
#include "tests/api/number/formats.h"
#include "tests/api/number/near.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void assert_float(const char *text, float expected)
{
    float value = 7;

    ck_assert_msg(number_parse_float(text, strlen(text), &value), "%.60s",
                  text);
    ck_assert_msg(memcmp(&value, &expected, sizeof(value)) == 0,
                  "%.60s reads as %a, not %a", text, (double)value,
                  (double)expected);
}

static void assert_double(const char *text, double expected)
{
    double value = 7;

    ck_assert_msg(number_parse_double(text, strlen(text), &value), "%.60s",
                  text);
    ck_assert_msg(memcmp(&value, &expected, sizeof(value)) == 0,
                  "%.60s reads as %a, not %a", text, value, expected);
}

UNIT_TEST(number_float_reading_rounds_exactly_at_midpoints)
{
    uint64_t state = 1;
    char exact[400], text[500];

    for (int i = 0; i < 8000; i++) {
        /* Every fourth value is denormal. */
        uint32_t bits =
            (uint32_t)naive_below(&state, i % 4 ? 0x7F7FFFFF : 0x00800000);
        float below = float_of(bits), above = float_of(bits + 1);

        sprintf(exact, "%.200e", ((double)below + (double)above) / 2);
        assert_float(exact, bits & 1 ? above : below);
        near_write(exact, false, "000000000000000000001", text);
        assert_float(text, above);
        near_write(exact, true, "999999999999999999999", text);
        assert_float(text, below);
    }
}

UNIT_TEST(number_double_reading_rounds_exactly_at_midpoints)
{
    uint64_t state = 2;
    char exact[1400], text[1500];

    if (LDBL_MANT_DIG <= DBL_MANT_DIG)
        return; /* no type here holds a midpoint of two doubles */
    for (int i = 0; i < 1500; i++) {
        uint64_t bits = naive_below(&state, i % 4 ? UINT64_C(0x7FEFFFFFFFFFFFFF)
                                                  : UINT64_C(1) << 52);
        double below = double_of(bits), above = double_of(bits + 1);

        sprintf(exact, "%.1100Le",
                ((long double)below + (long double)above) / 2);
        assert_double(exact, bits & 1 ? above : below);
        near_write(exact, false, "000000000000000000001", text);
        assert_double(text, above);
        near_write(exact, true, "999999999999999999999", text);
        assert_double(text, below);
    }
}

UNIT_TEST(number_random_floats_round_trip)
{
    uint64_t state = 3;
    char text[NUMBER_TEXT_MAX + 1];

    for (int i = 0; i < 60000; i++) {
        float value = float_of((uint32_t)naive_random(&state));
        size_t len = number_print_float(value, text);

        text[len] = '\0';
        if (isnan(value)) {
            ck_assert_str_eq(text, "NaN");
            continue;
        }
        ck_assert_uint_lt(len, 16);
        ck_assert(strtof(text, NULL) == value);
        assert_float(text, value);
    }
}

UNIT_TEST(number_random_doubles_round_trip)
{
    uint64_t state = 4;
    char text[NUMBER_TEXT_MAX + 1];

    for (int i = 0; i < 60000; i++) {
        double value = double_of(naive_random(&state));
        size_t len = number_print_double(value, text);

        text[len] = '\0';
        if (isnan(value)) {
            ck_assert_str_eq(text, "NaN");
            continue;
        }
        ck_assert_uint_lt(len, 25);
        ck_assert(strtod(text, NULL) == value);
        assert_double(text, value);
    }
}

static const struct {
    double value;
    const char *text;
} printed[] = {
    {0.0, "0"},
    {-0.0, "-0.0"},
    {3.0, "3"},
    {-2.5, "-2.5"},
    {0.1, "0.1"},
    {1e30, "1e+30"},
    {1e-7, "1e-07"},
    {123456789, "123456789"},
    {HUGE_VAL, "Infinity"},
    {-HUGE_VAL, "-Infinity"},
    {(double)NAN, "NaN"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
};

LOOP_TEST(number_prints_valid_json_numbers, COUNT(printed))
{
    char text[NUMBER_TEXT_MAX];
    size_t len = number_print_double(printed[_i].value, text);

    ck_assert_uint_eq(len, strlen(printed[_i].text));
    ck_assert_mem_eq(text, printed[_i].text, len);
}

UNIT_TEST(number_underflow_becomes_the_nearest)
{
    assert_double("1e-400", 0.0);
    assert_double("-1e-400", -0.0);
    assert_double("2.4703282292062327e-324", 0.0);
    assert_double("2.4703282292062328e-324", 0x1p-1074);
    assert_double("0.0000001e-9999999999999", 0.0);
    assert_float("1e-46", 0.0f);
    assert_float("-1e-46", -0.0f);
    assert_float("1e-45", 0x1p-149f);
}

enum { LONG = 1000000 };

UNIT_TEST(number_reads_a_million_digits)
{
    char *text = malloc(LONG + 100);

    ck_assert_ptr_nonnull(text);
    memset(text, '0', LONG + 100);
    text[0] = '1';
    strcpy(text + LONG + 1, "e-1000000");
    assert_double(text, 1.0);
    strcpy(text + LONG + 1, "");
    ck_assert(!number_parse_double(text, LONG + 1, &(double){0}));
    memcpy(text, "0.", 2);
    strcpy(text + LONG, "15e1000000");
    assert_double(text, 15.0);
    free(text);
}
