#include "api/number/value_print.h"

#include <string.h>

#include "api/number/number.h"

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

size_t value_print_bool(const unsigned char *data, uint64_t index, char *out)
{
    size_t len = data[index] ? 4 : 5;

    memcpy(out, data[index] ? "true" : "false", len);
    return len;
}

size_t value_print_int8(const unsigned char *data, uint64_t index, char *out)
{
    return print_signed((int8_t)data[index], out);
}

size_t value_print_int16(const unsigned char *data, uint64_t index, char *out)
{
    int16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_signed(value, out);
}

size_t value_print_int32(const unsigned char *data, uint64_t index, char *out)
{
    int32_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_signed(value, out);
}

size_t value_print_int64(const unsigned char *data, uint64_t index, char *out)
{
    int64_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_signed(value, out);
}

size_t value_print_uint8(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index], out);
}

size_t value_print_uint16(const unsigned char *data, uint64_t index, char *out)
{
    uint16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_unsigned(value, out);
}

size_t value_print_uint32(const unsigned char *data, uint64_t index, char *out)
{
    uint32_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_unsigned(value, out);
}

size_t value_print_uint64(const unsigned char *data, uint64_t index, char *out)
{
    uint64_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return print_unsigned(value, out);
}

size_t value_print_fp16(const unsigned char *data, uint64_t index, char *out)
{
    uint16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_half(value, out);
}

size_t value_print_bf16(const unsigned char *data, uint64_t index, char *out)
{
    uint16_t value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_bfloat(value, out);
}

size_t value_print_fp32(const unsigned char *data, uint64_t index, char *out)
{
    float value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_float(value, out);
}

size_t value_print_fp64(const unsigned char *data, uint64_t index, char *out)
{
    double value;

    memcpy(&value, data + index * sizeof(value), sizeof(value));
    return number_print_double(value, out);
}

size_t value_print_int4(const unsigned char *data, uint64_t index, char *out)
{
    int value = data[index / 2] >> index % 2 * 4 & 0xF;

    return print_signed(value < 8 ? value : value - 16, out);
}

size_t value_print_uint4(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index / 2] >> index % 2 * 4 & 0xF, out);
}

size_t value_print_uint2(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index / 4] >> (3 - index % 4) * 2 & 3, out);
}

size_t value_print_uint1(const unsigned char *data, uint64_t index, char *out)
{
    return print_unsigned(data[index / 8] >> (7 - index % 8) & 1, out);
}
