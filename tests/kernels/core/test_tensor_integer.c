#include <math.h>

#include "kernels/core/tensor.h"
#include "tests/unit.h"

/* An element at an odd address, after another one. */
struct element {
    enum dtype dtype;
    const void *bytes;
};

static bool read(const struct element *e, int64_t *value, struct status *st)
{
    unsigned char memory[64];
    size_t size = dtype_info(e->dtype)->bits / 8;
    struct tensor tensor = {
        .name = "lens",
        .dtype = e->dtype,
        .shape = {1, {2}},
        .data = memory + 1,
        .bytes = 2 * size,
    };

    memset(memory, 0xA5, sizeof(memory));
    memcpy(memory + 1 + size, e->bytes, size);
    memset(st, 0, sizeof(*st));
    return tensor_integer(&tensor, 1, value, st);
}

static void accepts(enum dtype dtype, const void *bytes, int64_t expected)
{
    struct element e = {dtype, bytes};
    struct status st;
    int64_t value = 99;

    ck_assert_msg(read(&e, &value, &st), "%s", st.message);
    ck_assert_int_eq(value, expected);
}

static void refuses(enum dtype dtype, const void *bytes, const char *message)
{
    struct element e = {dtype, bytes};
    struct status st;
    int64_t value;

    ck_assert(!read(&e, &value, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_str_eq(st.message, message);
}

static void accepts_fp64(double number, int64_t expected)
{
    accepts(DTYPE_FP64, &number, expected);
}

static void refuses_fp64(double number, const char *message)
{
    refuses(DTYPE_FP64, &number, message);
}

UNIT_TEST(tensor_integer_reads_signed_extremes)
{
    accepts(DTYPE_INT8, &(int8_t){INT8_MIN}, INT8_MIN);
    accepts(DTYPE_INT8, &(int8_t){INT8_MAX}, INT8_MAX);
    accepts(DTYPE_INT16, &(int16_t){INT16_MIN}, INT16_MIN);
    accepts(DTYPE_INT16, &(int16_t){INT16_MAX}, INT16_MAX);
    accepts(DTYPE_INT32, &(int32_t){INT32_MIN}, INT32_MIN);
    accepts(DTYPE_INT32, &(int32_t){INT32_MAX}, INT32_MAX);
    accepts(DTYPE_INT64, &(int64_t){INT64_MIN}, INT64_MIN);
    accepts(DTYPE_INT64, &(int64_t){INT64_MAX}, INT64_MAX);
    accepts(DTYPE_INT64, &(int64_t){-1}, -1);
}

UNIT_TEST(tensor_integer_reads_unsigned_extremes)
{
    accepts(DTYPE_UINT8, &(uint8_t){UINT8_MAX}, UINT8_MAX);
    accepts(DTYPE_UINT16, &(uint16_t){UINT16_MAX}, UINT16_MAX);
    accepts(DTYPE_UINT32, &(uint32_t){UINT32_MAX}, UINT32_MAX);
    accepts(DTYPE_UINT64, &(uint64_t){0}, 0);
    accepts(DTYPE_UINT64, &(uint64_t){INT64_MAX}, INT64_MAX);
}

UNIT_TEST(tensor_integer_refuses_unsigned_past_int64)
{
    refuses(DTYPE_UINT64, &(uint64_t){UINT64_C(1) << 63},
            "lens[1] is 9223372036854775808, which is past "
            "9223372036854775807");
    refuses(DTYPE_UINT64, &(uint64_t){UINT64_MAX},
            "lens[1] is 18446744073709551615, which is past "
            "9223372036854775807");
}

UNIT_TEST(tensor_integer_reads_whole_floats)
{
    accepts(DTYPE_FP16, &(uint16_t){half_fp16_from_double(2048)}, 2048);
    accepts(DTYPE_FP16, &(uint16_t){half_fp16_from_double(-3)}, -3);
    accepts(DTYPE_FP16, &(uint16_t){0x8000}, 0);
    accepts(DTYPE_BF16, &(uint16_t){half_bf16_from_double(256)}, 256);
    accepts(DTYPE_FP32, &(float){16777216}, 16777216);
    accepts_fp64(0x1p53, INT64_C(1) << 53);
    accepts_fp64(-0x1p63, INT64_MIN);
    accepts_fp64(0x1.fffffffffffffp62, INT64_MAX - 1023);
}

UNIT_TEST(tensor_integer_refuses_fractions)
{
    refuses(DTYPE_FP16, &(uint16_t){half_fp16_from_double(1.5)},
            "lens[1] is 1.5, which is not a whole number");
    refuses(DTYPE_BF16, &(uint16_t){half_bf16_from_double(-0.25)},
            "lens[1] is -0.25, which is not a whole number");
    refuses(DTYPE_FP32, &(float){2.5F},
            "lens[1] is 2.5, which is not a whole number");
    refuses_fp64(0.1, "lens[1] is 0.1, which is not a whole number");
    refuses_fp64(0.1 + 0.2, "lens[1] is 0.30000000000000004, which is not a "
                            "whole number");
    refuses_fp64(5e-324, "lens[1] is 5e-324, which is not a whole number");
    refuses_fp64(1.0 / 3, "lens[1] is 0.3333333333333333, which is not a "
                          "whole number");
}

UNIT_TEST(tensor_integer_refuses_nan_and_infinity)
{
    refuses_fp64((double)NAN, "lens[1] is NaN, which is no 64-bit integer");
    refuses_fp64((double)-NAN, "lens[1] is NaN, which is no 64-bit integer");
    refuses_fp64((double)INFINITY,
                 "lens[1] is Infinity, which is no 64-bit integer");
    refuses(DTYPE_FP16, &(uint16_t){0xFC00},
            "lens[1] is -Infinity, which is no 64-bit integer");
    refuses(DTYPE_BF16, &(uint16_t){0x7FA1},
            "lens[1] is NaN, which is no 64-bit integer");
    refuses(DTYPE_FP32, &(float){-INFINITY},
            "lens[1] is -Infinity, which is no 64-bit integer");
}

UNIT_TEST(tensor_integer_refuses_floats_past_int64)
{
    refuses_fp64(0x1p63, "lens[1] is 9.223372036854776e+18, which is no "
                         "64-bit integer");
    refuses_fp64(-1e30, "lens[1] is -1e+30, which is no 64-bit integer");
}
