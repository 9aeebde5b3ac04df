#include "api/number/value_format.h"

#include "api/number/number.h"
#include "api/number/value_print.h"
#include "api/number/value_store.h"

static bool fp16_holds(const char *token, size_t len)
{
    uint16_t value;

    return number_parse_half(token, len, &value);
}

static bool bf16_holds(const char *token, size_t len)
{
    uint16_t value;

    return number_parse_bfloat(token, len, &value);
}

static bool fp32_holds(const char *token, size_t len)
{
    float value;

    return number_parse_float(token, len, &value);
}

static bool fp64_holds(const char *token, size_t len)
{
    double value;

    return number_parse_double(token, len, &value);
}

static const struct float_range fp16_range = {4, fp16_holds, "65504"};
static const struct float_range bf16_range = {38, bf16_holds, "3.3895314e+38"};
static const struct float_range fp32_range = {38, fp32_holds, "3.4028235e+38"};
static const struct float_range fp64_range = {308, fp64_holds,
                                              "1.7976931348623157e+308"};

/* The longest texts are false, -128, ..., -9223372036854775808, -Infinity,
 * -6.1035e-05, -1.17549435e-38 and -2.2250738585072014e-308. */
static const struct value_format table[DTYPE_COUNT] = {
    [DTYPE_BOOL] = {6, value_print_bool, value_store_bool, NULL},
    [DTYPE_INT8] = {5, value_print_int8, value_store_int8, NULL},
    [DTYPE_INT16] = {7, value_print_int16, value_store_int16, NULL},
    [DTYPE_INT32] = {12, value_print_int32, value_store_int32, NULL},
    [DTYPE_INT64] = {21, value_print_int64, value_store_int64, NULL},
    [DTYPE_UINT8] = {4, value_print_uint8, value_store_int8, NULL},
    [DTYPE_UINT16] = {6, value_print_uint16, value_store_int16, NULL},
    [DTYPE_UINT32] = {11, value_print_uint32, value_store_int32, NULL},
    [DTYPE_UINT64] = {21, value_print_uint64, value_store_int64, NULL},
    [DTYPE_FP16] = {12, value_print_fp16, value_store_fp16, &fp16_range},
    [DTYPE_BF16] = {12, value_print_bf16, value_store_bf16, &bf16_range},
    [DTYPE_FP32] = {16, value_print_fp32, value_store_fp32, &fp32_range},
    [DTYPE_FP64] = {25, value_print_fp64, value_store_fp64, &fp64_range},
    [DTYPE_COMPLEX64] = {16, value_print_fp32, value_store_fp32, &fp32_range},
    [DTYPE_COMPLEX128] = {25, value_print_fp64, value_store_fp64, &fp64_range},
    [DTYPE_INT4] = {3, value_print_int4, value_store_4bit, NULL},
    [DTYPE_UINT4] = {3, value_print_uint4, value_store_4bit, NULL},
    [DTYPE_UINT2] = {2, value_print_uint2, value_store_2bit, NULL},
    [DTYPE_UINT1] = {2, value_print_uint1, value_store_1bit, NULL},
};

const struct value_format *value_format_get(enum dtype dtype)
{
    return &table[dtype];
}
