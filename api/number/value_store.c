#include "api/number/value_store.h"

#include <stdbool.h>
#include <string.h>

#include "api/number/number.h"
#include "kernels/core/half.h"

/* Stores value number `index`, of `bytes` bytes. */
static void store(unsigned char *data, uint64_t index, const void *value,
                  size_t bytes)
{
    memcpy(data + index * bytes, value, bytes);
}

static uint64_t read_integer(const char *token, size_t len)
{
    bool negative = *token == '-';
    uint64_t value = 0;

    for (size_t i = negative; i < len; i++)
        value = value * 10 + (uint64_t)(token[i] - '0');
    return negative ? -value : value;
}

void value_store_bool(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    (void)len;
    data[index] = *token == 't';
}

void value_store_int8(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    uint8_t value = (uint8_t)read_integer(token, len);

    store(data, index, &value, sizeof(value));
}

void value_store_int16(unsigned char *data, uint64_t index, const char *token,
                       size_t len)
{
    uint16_t value = (uint16_t)read_integer(token, len);

    store(data, index, &value, sizeof(value));
}

void value_store_int32(unsigned char *data, uint64_t index, const char *token,
                       size_t len)
{
    uint32_t value = (uint32_t)read_integer(token, len);

    store(data, index, &value, sizeof(value));
}

void value_store_int64(unsigned char *data, uint64_t index, const char *token,
                       size_t len)
{
    uint64_t value = read_integer(token, len);

    store(data, index, &value, sizeof(value));
}

/* Values of `bits` bits; the first one of a byte is in the high bits if
 * `high_first`, and sets the rest of the byte to 0. */
static void store_packed(unsigned char *data, uint64_t index, uint64_t number,
                         unsigned bits, bool high_first)
{
    unsigned per_byte = 8 / bits;
    unsigned slot = (unsigned)(index % per_byte);
    unsigned value = (unsigned)number & ((1U << bits) - 1);
    unsigned char *byte = data + index / per_byte;

    value <<= high_first ? 8 - bits - slot * bits : slot * bits;
    *byte = (unsigned char)(slot ? *byte | value : value);
}

void value_store_4bit(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    store_packed(data, index, read_integer(token, len), 4, false);
}

void value_store_2bit(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    store_packed(data, index, read_integer(token, len), 2, true);
}

void value_store_1bit(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    store_packed(data, index, read_integer(token, len), 1, true);
}

/* Reads NaN, Infinity or -Infinity; false when the token is a number. */
static bool read_word(const char *token, float *value)
{
    const char *word = token + (*token == '-');

    if (*word == 'N')
        *value = __builtin_nanf("");
    else if (*word == 'I')
        *value = *token == '-' ? -__builtin_inff() : __builtin_inff();
    else
        return false;
    return true;
}

void value_store_fp16(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    uint16_t value;
    float word;

    if (read_word(token, &word))
        value = half_fp16_from_double((double)word);
    else
        number_parse_half(token, len, &value);
    store(data, index, &value, sizeof(value));
}

void value_store_bf16(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    uint16_t value;
    float word;

    if (read_word(token, &word))
        value = half_bf16_from_double((double)word);
    else
        number_parse_bfloat(token, len, &value);
    store(data, index, &value, sizeof(value));
}

void value_store_fp32(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    float value;

    if (!read_word(token, &value))
        number_parse_float(token, len, &value);
    store(data, index, &value, sizeof(value));
}

void value_store_fp64(unsigned char *data, uint64_t index, const char *token,
                      size_t len)
{
    double value;
    float word;

    if (read_word(token, &word))
        value = (double)word;
    else
        number_parse_double(token, len, &value);
    store(data, index, &value, sizeof(value));
}
