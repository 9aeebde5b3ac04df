#include <string.h>

#include "api/number/number.h"
#include "api/tensor_json/parser.h"
#include "kernels/core/half.h"

/* Writes `bytes` bytes of token number s->tokens. */
static void store(const struct text_scan *s, const void *value, size_t bytes)
{
    memcpy(s->out + s->tokens * bytes, value, bytes);
}

static uint64_t read_integer(const char *token, size_t len)
{
    bool negative = *token == '-';
    uint64_t value = 0;

    for (size_t i = negative; i < len; i++)
        value = value * 10 + (uint64_t)(token[i] - '0');
    return negative ? -value : value;
}

static void put_bool(const struct text_scan *s, const char *token, size_t len)
{
    (void)len;
    s->out[s->tokens] = *token == 't';
}

static void put_int8(const struct text_scan *s, const char *token, size_t len)
{
    uint8_t value = (uint8_t)read_integer(token, len);

    store(s, &value, sizeof(value));
}

static void put_int16(const struct text_scan *s, const char *token, size_t len)
{
    uint16_t value = (uint16_t)read_integer(token, len);

    store(s, &value, sizeof(value));
}

static void put_int32(const struct text_scan *s, const char *token, size_t len)
{
    uint32_t value = (uint32_t)read_integer(token, len);

    store(s, &value, sizeof(value));
}

static void put_int64(const struct text_scan *s, const char *token, size_t len)
{
    uint64_t value = read_integer(token, len);

    store(s, &value, sizeof(value));
}

/* The first element of a byte also clears the rest of it. */
static void put_packed(const struct text_scan *s, const char *token, size_t len)
{
    unsigned per_byte = 8 / s->bits;
    unsigned place = (unsigned)(s->tokens % per_byte);
    unsigned mask = (1U << s->bits) - 1;
    unsigned value = (unsigned)read_integer(token, len) & mask;
    unsigned char *byte = s->out + s->tokens / per_byte;

    if (dtype_info(s->a->dtype)->high_first)
        value <<= 8 - s->bits - place * s->bits;
    else
        value <<= place * s->bits;
    *byte = (unsigned char)(place ? *byte | value : value);
}

/* The words NaN, Infinity and -Infinity, as a float; false for a number. */
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

static void put_half(const struct text_scan *s, const char *token, size_t len)
{
    uint16_t value;
    float word;

    if (read_word(token, &word))
        value = half_from_double((double)word);
    else
        number_parse_half(token, len, &value);
    store(s, &value, sizeof(value));
}

static void put_bfloat(const struct text_scan *s, const char *token, size_t len)
{
    uint16_t value;
    float word;

    if (read_word(token, &word))
        value = bfloat_from_double((double)word);
    else
        number_parse_bfloat(token, len, &value);
    store(s, &value, sizeof(value));
}

static void put_float(const struct text_scan *s, const char *token, size_t len)
{
    float value;

    if (!read_word(token, &value))
        number_parse_float(token, len, &value);
    store(s, &value, sizeof(value));
}

static void put_double(const struct text_scan *s, const char *token, size_t len)
{
    double value;
    float word;

    if (read_word(token, &word))
        value = (double)word;
    else
        number_parse_double(token, len, &value);
    store(s, &value, sizeof(value));
}

static void choose_integer_put(struct text_scan *s)
{
    switch (s->bits) {
    case 8:
        s->put = put_int8;
        break;
    case 16:
        s->put = put_int16;
        break;
    case 32:
        s->put = put_int32;
        break;
    case 64:
        s->put = put_int64;
        break;
    default:
        s->put = put_packed;
    }
}

static void choose_put(struct text_scan *s)
{
    switch (s->a->dtype) {
    case DTYPE_BOOL:
        s->put = put_bool;
        break;
    case DTYPE_FP16:
        s->put = put_half;
        break;
    case DTYPE_BF16:
        s->put = put_bfloat;
        break;
    case DTYPE_FP32:
    case DTYPE_COMPLEX64:
        s->put = put_float;
        break;
    case DTYPE_FP64:
    case DTYPE_COMPLEX128:
        s->put = put_double;
        break;
    default:
        choose_integer_put(s);
    }
}

bool tensor_json_to_binary(const struct data_array *a, void *out,
                           const atomic_bool *cancel, struct status *st)
{
    struct text_scan s;

    if (!text_scan_init(&s, a, cancel, st))
        return false;
    s.out = out;
    choose_put(&s);
    return text_walk(&s, text_run_convert(a->dtype));
}
