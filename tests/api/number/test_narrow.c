/* The 16-bit formats: read exactly, and printed as the shortest text that reads
 * back. */
#include <math.h>

#include "api/number/number.h"
#include "tests/api/number/formats.h"
#include "tests/unit.h"

/* The oracle for reading is printf(), which prints every digit of the midpoint
 * of two neighbours: below it the lower one must be read, above it the upper
 * one. */
/* The midpoint of a positive pattern and the next one; infinity counts as the
 * value after the largest one. */
static double midpoint_above(const struct narrow_format *f, unsigned bits)
{
    double value = narrow_format_value(f, bits);

    if (bits + 1 < f->infinity)
        return (value + narrow_format_value(f, bits + 1)) / 2;
    return value + (value - narrow_format_value(f, bits - 1)) / 2;
}

/* Asserts that `text` reads as `bits`, or is refused if they are infinity. */
static void assert_reads(const struct narrow_format *f, const char *text,
                         unsigned bits)
{
    uint16_t got = (uint16_t)(f->infinity | (*text == '-' ? 0x8000u : 0));

    f->read(text, strlen(text), &got);
    ck_assert_msg(got == bits, "%.60s reads as %04x, not %04x", text, got,
                  bits);
}

LOOP_TEST(number_narrow_reading_rounds_exactly_at_midpoints, 2)
{
    const struct narrow_format *f = &narrow_formats[_i];
    char exact[300], text[700], zeros[300];

    memset(zeros, '0', sizeof(zeros));
    strcpy(zeros + 250, "1");
    for (unsigned bits = 0; bits < f->infinity; bits++) {
        sprintf(exact, "%.150e", midpoint_above(f, bits));
        assert_reads(f, exact, bits + (bits & 1));
        near_write(exact, false, "0000000000000000000000001", text);
        assert_reads(f, text, bits + 1);
        near_write(exact, false, zeros, text);
        assert_reads(f, text, bits + 1);
        near_write(exact, true, "9999999999999999999999999", text);
        assert_reads(f, text, bits);
    }
}

/* Decimals that are equal or close to a double next to a midpoint: they round
 * like that double, not like the midpoint. */
LOOP_TEST(number_narrow_reading_is_right_beside_midpoints, 2)
{
    const struct narrow_format *f = &narrow_formats[_i];
    char exact[300], text[700];

    for (unsigned bits = 0; bits < f->infinity; bits++) {
        double midpoint = midpoint_above(f, bits);

        for (int up = 0; up < 2; up++) {
            double beside = nextafter(midpoint, up ? HUGE_VAL : 0);

            sprintf(exact, "%.150e", beside);
            assert_reads(f, exact, bits + (unsigned)up);
            near_write(exact, false, "0000000000000000000000001", text);
            assert_reads(f, text, bits + (unsigned)up);
            near_write(exact, true, "9999999999999999999999999", text);
            assert_reads(f, text, bits + (unsigned)up);
        }
    }
}

LOOP_TEST(number_narrow_reading_accepts_negatives_and_plain_notation, 2)
{
    const struct narrow_format *f = &narrow_formats[_i];
    char text[400];

    for (unsigned bits = 0; bits < f->infinity; bits += 7) {
        unsigned negative = bits | 0x8000;

        sprintf(text, "%.200f", -midpoint_above(f, bits));
        assert_reads(f, text, negative + (bits & 1));
        strcat(text, "01");
        assert_reads(f, text, negative + 1);
        sprintf(text, "%.200f", -narrow_format_value(f, bits));
        assert_reads(f, text, negative);
    }
}

UNIT_TEST(number_narrow_underflow_becomes_the_nearest)
{
    assert_reads(&narrow_formats[0], "2.98023223876953125e-8", 0);
    assert_reads(&narrow_formats[0], "2.98023223876953126e-8", 1);
    assert_reads(&narrow_formats[0], "-1e-400", 0x8000);
    assert_reads(&narrow_formats[1], "-1e-50", 0x8000);
}

enum { LONG = 1000000 };

/* A midpoint of FP16, and a 1 a million digits after it. */
UNIT_TEST(number_narrow_reads_a_million_digits)
{
    char *text = malloc(LONG + 100);

    ck_assert_ptr_nonnull(text);
    memset(text, '0', LONG + 100);
    memcpy(text, "2049.", 5);
    strcpy(text + LONG, "0");
    assert_reads(&narrow_formats[0], text, 0x6800);
    strcpy(text + LONG, "1");
    assert_reads(&narrow_formats[0], text, 0x6801);
    memset(text, '0', LONG + 1);
    text[0] = '1';
    strcpy(text + LONG + 1, "e-1000000");
    assert_reads(&narrow_formats[0], text, 0x3C00);
    free(text);
}

LOOP_TEST(number_narrow_printing_reads_back_for_every_pattern, 2)
{
    const struct narrow_format *f = &narrow_formats[_i];
    char text[NUMBER_TEXT_MAX];

    for (unsigned bits = 0; bits <= 0xFFFF; bits++) {
        size_t len = f->print((uint16_t)bits, text);
        uint16_t back;

        if ((bits & 0x7FFF) >= f->infinity)
            continue;
        ck_assert_uint_le(len, 11);
        ck_assert(f->read(text, len, &back));
        ck_assert_msg(back == bits, "%.*s is %04x, not %04x", (int)len, text,
                      back, bits);
    }
}

static bool reads_as(const struct narrow_format *f, const char *text,
                     unsigned bits)
{
    uint16_t back;

    return f->read(text, strlen(text), &back) && back == bits;
}

/* Whether a decimal of so many digits reads back: the nearest one, or one of
 * its neighbours. */
static bool fits_digits(const struct narrow_format *f, unsigned bits,
                        int digits)
{
    char text[64], near[64];
    int exponent;
    long whole;

    sprintf(text, "%.*e", digits - 1, narrow_format_value(f, bits));
    exponent = atoi(strchr(text, 'e') + 1) - (digits - 1);
    whole = lround(atof(text) * pow(10, -exponent));
    for (long i = whole - 1; i <= whole + 1; i++) {
        sprintf(near, "%lde%d", i, exponent);
        if (reads_as(f, near, bits))
            return true;
    }
    return false;
}

/* Significant digits of a printed number, without the zeros at the end of a
 * whole one. */
static int count_digits(const char *text, size_t len)
{
    int digits = 0, zeros = 0;

    for (size_t i = 0; i < len && text[i] != 'e'; i++) {
        if (text[i] == '.' || (text[i] == '0' && digits == 0))
            continue;
        digits++;
        zeros = text[i] == '0' ? zeros + 1 : 0;
    }
    return digits - zeros;
}

LOOP_TEST(number_narrow_printing_is_shortest, 2)
{
    const struct narrow_format *f = &narrow_formats[_i];
    char text[NUMBER_TEXT_MAX + 1], whole[64];

    for (unsigned bits = 1; bits < f->infinity; bits++) {
        double value = narrow_format_value(f, bits);
        size_t len = f->print((uint16_t)bits, text);
        int digits = count_digits(text, len);

        text[len] = '\0';
        sprintf(whole, "%.0f", value);
        if (trunc(value) == value && !strchr(text, 'e')) {
            ck_assert_str_eq(text, whole);
            continue;
        }
        if (trunc(value) == value)
            ck_assert_uint_lt(len, strlen(whole));
        for (int fewer = 1; fewer < digits; fewer++)
            ck_assert_msg(!fits_digits(f, bits, fewer),
                          "%s could have %d digits", text, fewer);
    }
}

static void assert_narrow_prints(const struct narrow_format *f, unsigned bits,
                                 const char *expected)
{
    char text[NUMBER_TEXT_MAX];
    size_t len = f->print((uint16_t)bits, text);

    ck_assert_uint_eq(len, strlen(expected));
    ck_assert_mem_eq(text, expected, len);
}

UNIT_TEST(number_narrow_printing_handles_words_and_small_cases)
{
    assert_narrow_prints(&narrow_formats[0], 0x0000, "0");
    assert_narrow_prints(&narrow_formats[0], 0x8000, "-0.0");
    assert_narrow_prints(&narrow_formats[0], 0x4200, "3");
    assert_narrow_prints(&narrow_formats[0], 0x2E66, "0.1");
    assert_narrow_prints(&narrow_formats[0], 0xFBFF, "-65504");
    assert_narrow_prints(&narrow_formats[0], 0x0001, "6e-08");
    assert_narrow_prints(&narrow_formats[0], 0x7C00, "Infinity");
    assert_narrow_prints(&narrow_formats[0], 0xFC00, "-Infinity");
    assert_narrow_prints(&narrow_formats[0], 0x7C01, "NaN");
    assert_narrow_prints(&narrow_formats[0], 0xFE00, "NaN");
    assert_narrow_prints(&narrow_formats[1], 0x3DCD, "0.1");
    assert_narrow_prints(&narrow_formats[1], 0x4380, "256");
    assert_narrow_prints(&narrow_formats[1], 0x7F7F, "3.39e+38");
    assert_narrow_prints(&narrow_formats[1], 0x0001, "9e-41");
    assert_narrow_prints(&narrow_formats[1], 0xFF80, "-Infinity");
    assert_narrow_prints(&narrow_formats[1], 0x7FC0, "NaN");
}
