#include <math.h>

#include "kernels/core/cancel.h"
#include "kernels/core/dtype.h"
#include "kernels/move/move.h"
#include "tests/unit.h"

/* Scales `bytes` bytes at an odd address, between two guards. */
static void scale(enum dtype dtype, void *elements, size_t bytes,
                  double coefficient)
{
    unsigned char memory[256];

    memset(memory, 0xA5, sizeof(memory));
    memcpy(memory + 33, elements, bytes);
    ck_assert(scale_run(dtype, memory + 33, bytes, coefficient, NULL));
    memcpy(elements, memory + 33, bytes);
    for (size_t i = 0; i < 33; i++)
        ck_assert(memory[i] == 0xA5 && memory[33 + bytes + i] == 0xA5);
}

UNIT_TEST(scale_accepts_floats_and_complex_only)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        bool expected = i == DTYPE_FP16 || i == DTYPE_BF16 || i == DTYPE_FP32 ||
                        i == DTYPE_FP64 || i == DTYPE_COMPLEX64 ||
                        i == DTYPE_COMPLEX128;

        ck_assert(dtype_is_scalable((enum dtype)i) == expected);
    }
}

static const double coefficients[] = {0, -1, 2, 0.1, -0.3, 1e-30, 1e30};
static const double inputs[] = {1, -1.5, 0.1, 3.25, -65504, 1e-7, 0, 1e-40};

LOOP_TEST(scale_multiplies_fp32_in_float, COUNT(coefficients))
{
    for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
        float pair[2] = {(float)inputs[i], (float)-inputs[i]};
        float expected = pair[0] * (float)coefficients[_i];

        scale(_i % 2 ? DTYPE_FP32 : DTYPE_COMPLEX64, pair, sizeof(pair),
              coefficients[_i]);
        ck_assert_mem_eq(&pair[0], &expected, sizeof(expected));
        expected = -expected;
        ck_assert_mem_eq(&pair[1], &expected, sizeof(expected));
    }
}

LOOP_TEST(scale_multiplies_fp64_in_double, COUNT(coefficients))
{
    for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
        double pair[2] = {inputs[i], -inputs[i]};
        double expected = inputs[i] * coefficients[_i];

        scale(_i % 2 ? DTYPE_FP64 : DTYPE_COMPLEX128, pair, sizeof(pair),
              coefficients[_i]);
        ck_assert_mem_eq(&pair[0], &expected, sizeof(expected));
        expected = -expected;
        ck_assert_mem_eq(&pair[1], &expected, sizeof(expected));
    }
}

/* Every FP16 and BF16 pattern, NaNs included. */
LOOP_TEST(scale_multiplies_16_bits_in_float_and_rounds_once,
          COUNT(coefficients))
{
    float factor = (float)coefficients[_i];

    for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
        uint16_t half = (uint16_t)bits, brain = (uint16_t)bits;
        uint16_t half_expected =
            half_fp16_from_double((double)(half_fp16_to_float(half) * factor));
        uint16_t brain_expected =
            half_bf16_from_double((double)(half_bf16_to_float(brain) * factor));

        scale_run(DTYPE_FP16, &half, sizeof(half), coefficients[_i], NULL);
        scale_run(DTYPE_BF16, &brain, sizeof(brain), coefficients[_i], NULL);
        if (half != half_expected || brain != brain_expected)
            ck_abort_msg("%04x became %04x and %04x", bits, half, brain);
    }
}

/* 0.1 is another number in float: 3 x 0.1 must be float's. */
UNIT_TEST(scale_rounds_coefficient_to_float)
{
    float value = 3;
    double wide = 3;

    scale(DTYPE_FP32, &value, sizeof(value), 0.1);
    scale(DTYPE_FP64, &wide, sizeof(wide), 0.1);
    ck_assert(value == 3.0F * 0.1F);
    ck_assert(wide == 3.0 * 0.1);
}

UNIT_TEST(scale_rounds_halves_to_even)
{
    /* 1 + 2^-10 times 1.5 is 1.5 + 1.5 x 2^-10: a tie between two FP16. */
    uint16_t half = 0x3C01;
    uint16_t brain = 0x3F81;

    scale(DTYPE_FP16, &half, sizeof(half), 1.5);
    scale(DTYPE_BF16, &brain, sizeof(brain), 1.5);
    ck_assert_uint_eq(half, 0x3E02);
    ck_assert_uint_eq(brain, 0x3FC2);
}

UNIT_TEST(scale_overflows_to_infinity_and_keeps_nan)
{
    uint16_t halves[] = {0x7BFF, 0xFBFF, 0x7E01, 0x7C00};
    float floats[] = {3e38F, NAN};

    scale(DTYPE_FP16, halves, sizeof(halves), 2);
    scale(DTYPE_FP32, floats, sizeof(floats), 2);
    ck_assert_uint_eq(halves[0], 0x7C00);
    ck_assert_uint_eq(halves[1], 0xFC00);
    ck_assert_uint_eq(halves[2], 0x7E01);
    ck_assert_uint_eq(halves[3], 0x7C00);
    ck_assert(isinf(floats[0]) && isnan(floats[1]));
}

/* More than is scaled between two tests of the cancel flag. */
UNIT_TEST(scale_multiplies_each_element_of_large_data_once)
{
    enum { FLOATS = 3 * CANCEL_STEP_BYTES / 4 + 5 };
    float *data = malloc(FLOATS * sizeof(*data));

    for (int i = 0; i < FLOATS; i++)
        data[i] = (float)i;
    ck_assert(scale_run(DTYPE_FP32, data, FLOATS * sizeof(*data), 2, NULL));
    for (int i = 0; i < FLOATS; i++)
        if (data[i] != 2 * (float)i)
            ck_abort_msg("element %d is %g", i, (double)data[i]);
    free(data);
}

UNIT_TEST(scale_of_nothing_is_nothing)
{
    ck_assert(scale_run(DTYPE_FP32, NULL, 0, 2, NULL));
}
