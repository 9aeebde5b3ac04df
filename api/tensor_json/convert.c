/* Data arrays to the binary form. Tokens have been validated. */
#include <string.h>

#include "api/lex/string.h"
#include "api/number/number.h"
#include "api/tensor_json/array_parse.h"
#include "kernels/core/cancel.h"
#include "kernels/core/half.h"

/* Stores the `bytes` bytes of token number `index`. */
static void store(const struct token_target *t, uint64_t index,
                  const void *value, size_t bytes)
{
    memcpy(t->out + index * bytes, value, bytes);
}

static uint64_t read_integer(const char *token, size_t len)
{
    bool negative = *token == '-';
    uint64_t value = 0;

    for (size_t i = negative; i < len; i++)
        value = value * 10 + (uint64_t)(token[i] - '0');
    return negative ? -value : value;
}

static void store_bool(const struct token_target *t, uint64_t index,
                       const char *token, size_t len)
{
    (void)len;
    t->out[index] = *token == 't';
}

static void store_int8(const struct token_target *t, uint64_t index,
                       const char *token, size_t len)
{
    uint8_t value = (uint8_t)read_integer(token, len);

    store(t, index, &value, sizeof(value));
}

static void store_int16(const struct token_target *t, uint64_t index,
                        const char *token, size_t len)
{
    uint16_t value = (uint16_t)read_integer(token, len);

    store(t, index, &value, sizeof(value));
}

static void store_int32(const struct token_target *t, uint64_t index,
                        const char *token, size_t len)
{
    uint32_t value = (uint32_t)read_integer(token, len);

    store(t, index, &value, sizeof(value));
}

static void store_int64(const struct token_target *t, uint64_t index,
                        const char *token, size_t len)
{
    uint64_t value = read_integer(token, len);

    store(t, index, &value, sizeof(value));
}

/* The first element of a byte sets the rest of the byte to 0. */
static void store_packed(const struct token_target *t, uint64_t index,
                         const char *token, size_t len)
{
    unsigned per_byte = 8 / t->bits;
    unsigned slot = (unsigned)(index % per_byte);
    unsigned mask = (1U << t->bits) - 1;
    unsigned value = (unsigned)read_integer(token, len) & mask;
    unsigned char *byte = t->out + index / per_byte;

    if (t->high_first)
        value <<= 8 - t->bits - slot * t->bits;
    else
        value <<= slot * t->bits;
    *byte = (unsigned char)(slot ? *byte | value : value);
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

static void store_half(const struct token_target *t, uint64_t index,
                       const char *token, size_t len)
{
    uint16_t value;
    float word;

    if (read_word(token, &word))
        value = half_from_double((double)word);
    else
        number_parse_half(token, len, &value);
    store(t, index, &value, sizeof(value));
}

static void store_bfloat(const struct token_target *t, uint64_t index,
                         const char *token, size_t len)
{
    uint16_t value;
    float word;

    if (read_word(token, &word))
        value = bfloat_from_double((double)word);
    else
        number_parse_bfloat(token, len, &value);
    store(t, index, &value, sizeof(value));
}

static void store_float(const struct token_target *t, uint64_t index,
                        const char *token, size_t len)
{
    float value;

    if (!read_word(token, &value))
        number_parse_float(token, len, &value);
    store(t, index, &value, sizeof(value));
}

static void store_double(const struct token_target *t, uint64_t index,
                         const char *token, size_t len)
{
    double value;
    float word;

    if (read_word(token, &word))
        value = (double)word;
    else
        number_parse_double(token, len, &value);
    store(t, index, &value, sizeof(value));
}

typedef void (*store_fn)(const struct token_target *t, uint64_t index,
                         const char *token, size_t len);

static store_fn integer_store(unsigned bits)
{
    switch (bits) {
    case 8:
        return store_int8;
    case 16:
        return store_int16;
    case 32:
        return store_int32;
    case 64:
        return store_int64;
    default:
        return store_packed;
    }
}

static store_fn choose_store(enum dtype dtype, unsigned bits)
{
    switch (dtype) {
    case DTYPE_BOOL:
        return store_bool;
    case DTYPE_FP16:
        return store_half;
    case DTYPE_BF16:
        return store_bfloat;
    case DTYPE_FP32:
    case DTYPE_COMPLEX64:
        return store_float;
    case DTYPE_FP64:
    case DTYPE_COMPLEX128:
        return store_double;
    default:
        return integer_store(bits);
    }
}

bool tensor_json_to_binary(const struct data_array *a, void *out,
                           const atomic_bool *cancel, struct status *st)
{
    struct parser p;

    if (!array_parse_start(&p, a, cancel, st))
        return false;
    p.target.out = out;
    p.target.store = choose_store(a->dtype, p.target.bits);
    return array_parse(&p, tokens_convert(a->dtype));
}

size_t tensor_json_strings_bound(const struct data_array *a)
{
    size_t count = a->count < a->len ? (size_t)a->count : a->len;

    /* The text of an element has 3 bytes besides its content: two quotes and a
     * comma or a bracket. The binary form has 4. */
    return a->len + count;
}

size_t tensor_json_strings_to_binary(const struct data_array *a,
                                     const struct span *rows,
                                     uint64_t row_count, void *out,
                                     const atomic_bool *cancel)
{
    struct cancel_check check = {.flag = cancel};
    unsigned char *at = out;

    for (uint64_t i = 0; i < row_count; i++) {
        const char *text = a->text + rows[i].start;
        const char *end = text + rows[i].len;

        if (!cancel_step(&check, rows[i].len))
            break;
        while (text < end) {
            uint32_t len;

            if (*text != '"') {
                text++;
                continue;
            }
            len = (uint32_t)string_decode(&text, end, at + sizeof(len));
            memcpy(at, &len, sizeof(len));
            at += sizeof(len) + len;
        }
    }
    return (size_t)(at - (unsigned char *)out);
}
