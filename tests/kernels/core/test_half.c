#include <math.h>

#include "kernels/core/dtype.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

/* Either format, for an oracle that knows only its layout. */
struct format {
    int mantissa_bits;
    int bias;
    float (*widen)(uint16_t);
    uint16_t (*narrow)(double);
};

static const struct format formats[] = {
    {10, 15, half_fp16_to_float, half_fp16_from_double},
    {7, 127, half_bf16_to_float, half_bf16_from_double},
};

static unsigned infinity_of(const struct format *f)
{
    return (unsigned)(2 * f->bias + 1) << f->mantissa_bits;
}

/* The value of a pattern without sign, by the definition; for infinity, the
 * value that the exponents would continue with. */
static double value_of(const struct format *f, unsigned pattern)
{
    unsigned mantissa = pattern & ((1u << f->mantissa_bits) - 1);
    int exponent = (int)(pattern >> f->mantissa_bits);

    if (exponent == 0)
        return ldexp(mantissa, 1 - f->bias - f->mantissa_bits);
    return ldexp(mantissa + (1u << f->mantissa_bits),
                 exponent - f->bias - f->mantissa_bits);
}

/* The nearest pattern, by bisection; ties go to the even one. */
static unsigned nearest(const struct format *f, double value)
{
    unsigned low = 0, high = infinity_of(f);
    double below, above;

    if (value >= value_of(f, high))
        return high;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;

        if (value_of(f, middle) <= value)
            low = middle;
        else
            high = middle;
    }
    below = value - value_of(f, low);
    above = value_of(f, high) - value;
    if (below == above)
        return low & 1 ? high : low;
    return below < above ? low : high;
}

/* An assertion of Check costs a system call: only failures reach it. */
static void check_narrow(const struct format *f, double value)
{
    unsigned expected = nearest(f, value);

    if (f->narrow(value) != expected ||
        f->narrow(-value) != (expected | 0x8000u))
        ck_abort_msg("%a became %04x, not %04x", value, f->narrow(value),
                     expected);
}

LOOP_TEST(half_widens_every_number_exactly, 2)
{
    const struct format *f = &formats[_i];

    for (unsigned bits = 0; bits < infinity_of(f); bits++) {
        float value = f->widen((uint16_t)bits);

        if (signbit(value) || (double)value != value_of(f, bits))
            ck_abort_msg("%04x became %a", bits, (double)value);
        value = f->widen((uint16_t)(bits | 0x8000u));
        if (!signbit(value) || -(double)value != value_of(f, bits))
            ck_abort_msg("-%04x became %a", bits, (double)value);
    }
    ck_assert(isinf(f->widen((uint16_t)infinity_of(f))));
    ck_assert(f->widen((uint16_t)(infinity_of(f) | 0x8000u)) < 0);
}

LOOP_TEST(half_round_trips_every_pattern, 2)
{
    const struct format *f = &formats[_i];
    unsigned quiet = 1u << (f->mantissa_bits - 1);

    for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
        float value = f->widen((uint16_t)bits);
        bool nan = (bits & 0x7FFFu) > infinity_of(f);

        /* A NaN keeps sign and payload, and becomes quiet. */
        if (!!isnan(value) != nan ||
            f->narrow((double)value) != (nan ? bits | quiet : bits))
            ck_abort_msg("%04x came back as %04x", bits,
                         f->narrow((double)value));
    }
}

LOOP_TEST(half_rounds_ties_to_even_and_near_ties_correctly, 2)
{
    const struct format *f = &formats[_i];

    for (unsigned bits = 0; bits < infinity_of(f); bits++) {
        double tie = (value_of(f, bits) + value_of(f, bits + 1)) / 2;

        check_narrow(f, tie);
        check_narrow(f, nextafter(tie, 0));
        check_narrow(f, nextafter(tie, (double)INFINITY));
        check_narrow(f, nextafter(value_of(f, bits), 0));
    }
}

LOOP_TEST(half_rounds_random_doubles_as_oracle, 2)
{
    const struct format *f = &formats[_i];
    uint64_t state = 7;

    for (int i = 0; i < 200000; i++) {
        uint64_t bits = naive_random(&state) >> 1;
        int range = 2 * f->bias + 40;
        double value;

        /* Exponents a little wider than the format's. */
        bits = (bits & 0x800FFFFFFFFFFFFFu) |
               (1023 - 20 - (uint64_t)f->bias - 8 +
                naive_below(&state, (uint64_t)range))
                   << 52;
        memcpy(&value, &bits, sizeof(value));
        check_narrow(f, value);
    }
}

UNIT_TEST(half_converts_edges_of_fp16)
{
    ck_assert_uint_eq(half_fp16_from_double(65504), 0x7BFF);
    ck_assert_uint_eq(half_fp16_from_double(65519.999999999993), 0x7BFF);
    ck_assert_uint_eq(half_fp16_from_double(65520), 0x7C00);
    ck_assert_uint_eq(half_fp16_from_double(1e300), 0x7C00);
    ck_assert_uint_eq(half_fp16_from_double(-1e300), 0xFC00);
    ck_assert_uint_eq(half_fp16_from_double(0x1p-24), 0x0001);
    ck_assert_uint_eq(half_fp16_from_double(0x1p-25), 0x0000);
    ck_assert_uint_eq(half_fp16_from_double(0x1.0000000000001p-25), 0x0001);
    ck_assert_uint_eq(half_fp16_from_double(5e-324), 0x0000);
    ck_assert_uint_eq(half_fp16_from_double(-5e-324), 0x8000);
    ck_assert_uint_eq(half_fp16_from_double(-0.0), 0x8000);
    ck_assert_uint_eq(half_fp16_from_double((double)-INFINITY), 0xFC00);
}

/* Through FP32 these two would be rounded twice, and wrongly. */
UNIT_TEST(half_rounds_once)
{
    ck_assert_uint_eq(half_fp16_from_double(0x1.0020000001p0), 0x3C01);
    ck_assert_uint_eq(half_bf16_from_double(0x1.0100000001p0), 0x3F81);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* With its payload in the high bits. */
UNIT_TEST(half_widens_signalling_nan_to_quiet_nan)
{
    ck_assert_uint_eq(bits_of(half_fp16_to_float(0x7C01)), 0x7FC02000);
    ck_assert_uint_eq(bits_of(half_fp16_to_float(0xFD55)), 0xFFEAA000);
    ck_assert_uint_eq(bits_of(half_fp16_to_float(0x7E00)), 0x7FC00000);
    ck_assert_uint_eq(bits_of(half_fp16_to_float(0x7C00)), 0x7F800000);
    ck_assert_uint_eq(bits_of(half_bf16_to_float(0x7F81)), 0x7FC10000);
    ck_assert_uint_eq(bits_of(half_bf16_to_float(0xFFA5)), 0xFFE50000);
    ck_assert_uint_eq(bits_of(half_bf16_to_float(0xFF80)), 0xFF800000);
}

UNIT_TEST(half_keeps_nan_a_nan)
{
    uint64_t signalling = UINT64_C(0xFFF0000000000001);
    double value;

    memcpy(&value, &signalling, sizeof(value));
    ck_assert_uint_eq(half_fp16_from_double(value), 0xFE00);
    ck_assert_uint_eq(half_bf16_from_double(value), 0xFFC0);
    ck_assert_uint_eq(half_fp16_from_double((double)NAN), 0x7E00);
}
