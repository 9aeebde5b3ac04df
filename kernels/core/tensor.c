#include "kernels/core/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "tensors are little-endian and read as they lie");

/* Size of the longest text: 32 dims of 19 digits, each with ", ", and the
 * brackets. */
enum { SHAPE_TEXT_SIZE = SHAPE_MAX_RANK * 21 + 3 };

const char *shape_print(const struct shape *shape, char *text, size_t size)
{
    char full[SHAPE_TEXT_SIZE] = "[";
    size_t len = 1;
    bool fits;

    for (int i = 0; i < shape->rank; i++)
        len += (size_t)snprintf(full + len, sizeof(full) - len, "%s%" PRId64,
                                i ? ", " : "", shape->dims[i]);
    full[len++] = ']';
    fits = len < size;
    if (!fits)
        for (len = size - 4; full[len - 1] != ' ' && full[len - 1] != '[';)
            len--;
    snprintf(text, size, "%.*s%s", (int)len, full, fits ? "" : "...");
    return text;
}

bool shape_read(struct shape *shape, const int64_t *dims, int rank,
                const char *name, struct status *st)
{
    if (rank < 0 || rank > SHAPE_MAX_RANK)
        return status_fail(st, STATUS_INVALID,
                           "%.64s has rank %d, but it must be from 0 to %d",
                           name, rank, SHAPE_MAX_RANK);
    shape->rank = rank;
    for (int i = 0; i < rank; i++) {
        shape->dims[i] = dims[i];
        if (dims[i] < 0)
            return status_fail(st, STATUS_INVALID,
                               "dimension %d of %.64s is %" PRId64
                               ", but it must not be negative",
                               i, name, dims[i]);
    }
    return true;
}

bool shape_count(const struct shape *shape, const char *name, uint64_t *count,
                 struct status *st)
{
    int64_t product = 1;
    bool fits = true;
    char text[128];

    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 0) {
            *count = 0;
            return true;
        }
        fits =
            fits && !__builtin_mul_overflow(product, shape->dims[i], &product);
    }
    if (!fits)
        return status_fail(st, STATUS_INVALID,
                           "%s has shape %s, which is 2^63 elements or more",
                           name, shape_print(shape, text, sizeof(text)));
    *count = (uint64_t)product;
    return true;
}

bool tensor_bytes(enum dtype dtype, uint64_t count, const char *name,
                  size_t *bytes, struct status *st)
{
    const struct dtype_traits *info = dtype_info(dtype);
    uint64_t size;

    if (info->bits < 8) {
        uint64_t per_byte = 8 / info->bits;

        size = count / per_byte + (count % per_byte != 0);
    } else if (__builtin_mul_overflow(count, info->bits / 8, &size)) {
        size = UINT64_MAX;
    }
    if (size > SIZE_MAX / 2)
        return status_fail(st, STATUS_INVALID,
                           "%s has %" PRIu64 " elements of %s, which is 2^%d "
                           "bytes or more",
                           name, count, info->name,
                           (int)(sizeof(size_t) * CHAR_BIT) - 1);
    *bytes = (size_t)size;
    return true;
}

static double read_float(enum dtype dtype, const unsigned char *at)
{
    uint16_t half;
    float single;
    double value;

    switch (dtype) {
    case DTYPE_FP16:
        memcpy(&half, at, sizeof(half));
        return (double)half_fp16_to_float(half);
    case DTYPE_BF16:
        memcpy(&half, at, sizeof(half));
        return (double)half_bf16_to_float(half);
    case DTYPE_FP32:
        memcpy(&single, at, sizeof(single));
        return (double)single;
    default:
        memcpy(&value, at, sizeof(value));
        return value;
    }
}

/* The shortest decimal that reads back as `value`, or the word that JSON uses
 * for it. */
static const char *print_double(double value, char *text, size_t size)
{
    int digits = 0;

    if (value != value)
        return "NaN";
    if (value - value != 0)
        return value > 0 ? "Infinity" : "-Infinity";
    do
        snprintf(text, size, "%.*g", ++digits, value);
    while (strtod(text, NULL) != value); /* 17 digits are enough for any */
    return text;
}

__attribute__((noinline)) static bool
whole_number(const struct tensor *tensor, uint64_t index, double number,
             int64_t *value, struct status *st)
{
    /* NaN fails every comparison. Both limits are exact: +-2^63. */
    bool fits = number >= -0x1p63 && number < 0x1p63;
    char text[32];

    if (fits && (double)(int64_t)number == number) {
        *value = (int64_t)number;
        return true;
    }
    return status_fail(st, STATUS_INVALID, "%s[%" PRIu64 "] is %s, which is %s",
                       tensor->name, index,
                       print_double(number, text, sizeof(text)),
                       fits ? "not a whole number" : "no 64-bit integer");
}

bool tensor_integer(const struct tensor *tensor, uint64_t index, int64_t *value,
                    struct status *st)
{
    const struct dtype_traits *info;
    const unsigned char *at;

    if (tensor->dtype == DTYPE_INT64) { /* nearly always */
        memcpy(value, tensor->data + index * sizeof(*value), sizeof(*value));
        return true;
    }
    info = dtype_info(tensor->dtype);
    at = tensor->data + index * (info->bits / 8);
    if (info->kind == DTYPE_KIND_FLOAT)
        return whole_number(tensor, index, read_float(tensor->dtype, at), value,
                            st);
    *value = 0;
    memcpy(value, at, info->bits / 8);
    if (info->kind == DTYPE_KIND_INT) /* the sign bit to the top and back */
        *value = (int64_t)((uint64_t)*value << (64 - info->bits)) >>
                 (64 - info->bits);
    else if (*value < 0)
        return status_fail(st, STATUS_INVALID,
                           "%s[%" PRIu64 "] is %" PRIu64
                           ", which is past %" PRId64,
                           tensor->name, index, (uint64_t)*value, INT64_MAX);
    return true;
}
