/* Tensors in the binary form, printed as JSON text. */
#include <string.h>

#include "api/number/number.h"
#include "api/tensor_json/tensor_json.h"

enum { CHECK_INTERVAL = 1 << 16 }; /* tokens between two checks of `cancel` */

/* Prints token `index` of `data`; returns its length. */
typedef size_t (*print_fn)(const unsigned char *data, uint64_t index,
                           char *out);

/* How a datatype is printed. */
struct printer {
    size_t bound; /* bytes of the longest token and its comma */
    print_fn print;
};

static size_t print_unsigned(uint64_t value, char *out)
{
    char digits[20];
    size_t len = 0;

    do {
        digits[sizeof(digits) - ++len] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    memcpy(out, digits + sizeof(digits) - len, len);
    return len;
}

static size_t print_signed(int64_t value, char *out)
{
    if (value >= 0)
        return print_unsigned((uint64_t)value, out);
    *out = '-';
    return 1 + print_unsigned(-(uint64_t)value, out + 1);
}

static size_t print_bool(const unsigned char *data, uint64_t index, char *out)
{
    size_t len = data[index] ? 4 : 5;

    memcpy(out, data[index] ? "true" : "false", len);
    return len;
}

static size_t print_int8(const unsigned char *data, uint64_t index, char *out)
{
    return print_signed((int8_t)data[index], out);
}

static size_t print_int16(const unsigned char *data, uint64_t index, char *out)
{
    int16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_signed(value, out);
}

static size_t print_int32(const unsigned char *data, uint64_t index, char *out)
{
    int32_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_signed(value, out);
}

static size_t print_int64(const unsigned char *data, uint64_t index, char *out)
{
    int64_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_signed(value, out);
}

static size_t print_uint8(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index], out);
}

static size_t print_uint16(const unsigned char *data, uint64_t index, char *out)
{
    uint16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_unsigned(value, out);
}

static size_t print_uint32(const unsigned char *data, uint64_t index, char *out)
{
    uint32_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_unsigned(value, out);
}

static size_t print_uint64(const unsigned char *data, uint64_t index, char *out)
{
    uint64_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_unsigned(value, out);
}

static size_t print_fp16(const unsigned char *data, uint64_t index, char *out)
{
    uint16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_half(value, out);
}

static size_t print_bf16(const unsigned char *data, uint64_t index, char *out)
{
    uint16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_bfloat(value, out);
}

static size_t print_fp32(const unsigned char *data, uint64_t index, char *out)
{
    float value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_float(value, out);
}

static size_t print_fp64(const unsigned char *data, uint64_t index, char *out)
{
    double value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_double(value, out);
}

static size_t print_int4(const unsigned char *data, uint64_t index, char *out)
{
    int value = data[index / 2] >> index % 2 * 4 & 0xF;

    return print_signed(value < 8 ? value : value - 16, out);
}

static size_t print_uint4(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index / 2] >> index % 2 * 4 & 0xF, out);
}

static size_t print_uint2(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index / 4] >> (3 - index % 4) * 2 & 3, out);
}

static size_t print_uint1(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index / 8] >> (7 - index % 8) & 1, out);
}

/* The longest tokens are -128, -9223372036854775808, -Infinity, -6.1035e-05,
 * -1.17549435e-38 and -2.2250738585072014e-308. */
static const struct printer printers[DTYPE_COUNT] = {
    [DTYPE_BOOL] = {6, print_bool},        [DTYPE_INT8] = {5, print_int8},
    [DTYPE_INT16] = {7, print_int16},      [DTYPE_INT32] = {12, print_int32},
    [DTYPE_INT64] = {21, print_int64},     [DTYPE_UINT8] = {4, print_uint8},
    [DTYPE_UINT16] = {6, print_uint16},    [DTYPE_UINT32] = {11, print_uint32},
    [DTYPE_UINT64] = {21, print_uint64},   [DTYPE_FP16] = {12, print_fp16},
    [DTYPE_BF16] = {12, print_bf16},       [DTYPE_FP32] = {16, print_fp32},
    [DTYPE_FP64] = {25, print_fp64},       [DTYPE_COMPLEX64] = {16, print_fp32},
    [DTYPE_COMPLEX128] = {25, print_fp64}, [DTYPE_INT4] = {3, print_int4},
    [DTYPE_UINT4] = {3, print_uint4},      [DTYPE_UINT2] = {2, print_uint2},
    [DTYPE_UINT1] = {2, print_uint1},
};

static unsigned tokens_of(enum dtype dtype)
{
    return dtype_info(dtype)->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
}

size_t tensor_json_print_bound(enum dtype dtype, uint64_t count)
{
    size_t element = printers[dtype].bound * tokens_of(dtype);
    size_t bytes;

    if (__builtin_mul_overflow(count, element, &bytes))
        return SIZE_MAX;
    return bytes;
}

bool tensor_json_print(const struct tensor *tensor, uint64_t count, char **out,
                       const atomic_bool *cancel, struct status *st)
{
    print_fn print = printers[tensor->dtype].print;
    uint64_t tokens = count * tokens_of(tensor->dtype);
    char *at = *out;

    if (!tensor_json_supports(tensor->dtype, tensor->name, st))
        return false;
    for (uint64_t i = 0; i < tokens; i++) {
        if (i % CHECK_INTERVAL == 0 && cancel &&
            atomic_load_explicit(cancel, memory_order_relaxed))
            return status_fail(st, STATUS_CANCELLED, "cancelled");
        if (i > 0)
            *at++ = ',';
        at += print(tensor->data, i, at);
    }
    *out = at;
    return true;
}
