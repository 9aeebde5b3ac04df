#include <float.h>
#include <math.h>

#include "api/number/number.h"
#include "tests/api/number/formats.h"
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

#define ZEROS "000000000000000000000000000000000000"
#define NINES "999999999999999999999999999999999999"

enum { ONE_UP = 0x3C01, HALF = 0x3800, EVEN = 0x6800, ODD = 0x6801 };

/* Decimals whose nearest double is the midpoint of two values of FP16: their
 * digits are compared, wherever the point stands. */
static const struct {
    const char *text;
    unsigned bits;
} decimals[] = {
    /* 2049 is between 2048 and 2050, which is odd. */
    {"2049", EVEN},
    {"2049.000", EVEN},
    {"20490e-1", EVEN},
    {"002049", EVEN},
    {"0.002049e6", EVEN},
    {"0.02049E+0000005", EVEN},
    {"-2049", EVEN | 0x8000},
    {"2049." ZEROS "1", ODD},
    {"2049" ZEROS "1e-37", ODD},
    {"0.000002049" ZEROS "1e9", ODD},
    {"-204.9" ZEROS "1e1", ODD | 0x8000},
    {"2048." NINES, EVEN},
    {"2048" NINES "e-36", EVEN},
    {"0.0002048" NINES "e7", EVEN},
    /* 2051 is between 2050 and 2052, which is even. */
    {"2051", ODD + 1},
    {"2050." NINES, ODD},
    {"2051." ZEROS "1", ODD + 1},
    {"0.2050" NINES "e4", ODD},
    /* Where the first digit has another power of ten: the midpoint above 1 is
     * 1.00048828125, that below 1 is 0.999755859375. */
    {"1.00048828125", 0x3C00},
    {"1.00048828125" ZEROS "1", ONE_UP},
    {"1.00048828124" NINES, 0x3C00},
    {"0.999755859375", 0x3C00},
    {"0.999755859374" NINES, 0x3BFF},
    {"0.999755859375" ZEROS "1", 0x3C00},
    {"0.50000000000000000000000000000000001", HALF},
    {"0.49999999999999999999999999999999999", HALF},
    /* The least value's half. */
    {"2.98023223876953125e-8", 0},
    {"2.980232238769531250000000000000000000000001e-8", 1},
    {"2.98023223876953124999999999999999999999999e-8", 0},
    {"298023223876953125" ZEROS "1e-62", 1},
};

LOOP_TEST(decimal_at_a_midpoint_rounds_by_its_digits, COUNT(decimals))
{
    const char *text = decimals[_i].text;
    uint16_t bits;

    ck_assert(number_parse_half(text, strlen(text), &bits));
    ck_assert_msg(bits == decimals[_i].bits, "%s reads as %04x", text, bits);
}

/* An exponent of any length is far outside of any format. */
UNIT_TEST(decimal_exponent_of_many_digits_does_not_overflow)
{
    static const char large[] = "1e99999999999999999999999999";
    static const char small[] = "1e-99999999999999999999999999";
    uint16_t bits = 1;

    ck_assert(!number_parse_half(large, sizeof(large) - 1, &bits));
    ck_assert(number_parse_half(small, sizeof(small) - 1, &bits));
    ck_assert_uint_eq(bits, 0);
}
