#include "kernels/core/dtype.h"

#include <string.h>

#define ROW(name, kind, bits, high_first)                                      \
    {#name, DTYPE_KIND_##kind, bits, high_first},
static const struct dtype_traits table[DTYPE_COUNT] = {DTYPE_LIST(ROW)};

const struct dtype_traits *dtype_info(enum dtype dtype)
{
    return &table[dtype];
}

struct element_format dtype_format(enum dtype dtype)
{
    return (struct element_format){table[dtype].bits, table[dtype].high_first};
}

bool dtype_is_scalable(enum dtype dtype)
{
    enum dtype_kind kind = table[dtype].kind;

    return kind == DTYPE_KIND_FLOAT || kind == DTYPE_KIND_COMPLEX;
}

bool dtype_parse(const char *name, size_t len, enum dtype *dtype)
{
    if (len == 0 || len >= sizeof(table->name) || name[len - 1] == '\0')
        return false;
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (table[i].name[len - 1] == name[len - 1] &&
            table[i].name[len] == '\0' && !memcmp(table[i].name, name, len)) {
            *dtype = (enum dtype)i;
            return true;
        }
    return false;
}

/* A 16-bit floating-point format: 1 sign bit, the mantissa, the rest
 * exponent. */
struct format {
    int mantissa_bits;
    int bias; /* also the largest exponent */
};

static const struct format fp16_format = {10, 15};
static const struct format bf16_format = {7, 127};

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A denormal FP16 is a multiple of 2^-24, which FP32 holds exactly. */
static float denormal(uint32_t sign, uint32_t mantissa)
{
    float value = (float)mantissa * 0x1p-24f;

    return sign ? -value : value;
}

float half_fp16_to_float(uint16_t fp16)
{
    uint32_t sign = (fp16 & 0x8000u) << 16;
    uint32_t exponent = fp16 >> 10 & 0x1Fu;
    uint32_t mantissa = fp16 & 0x3FFu;

    if (exponent == 0)
        return denormal(sign, mantissa);
    if (exponent == 0x1F)
        return float_of(sign | 0x7F800000u | mantissa << 13 |
                        (mantissa ? 0x400000u : 0));
    return float_of(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

float half_bf16_to_float(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;

    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        bits |= 0x400000u;
    return float_of(bits);
}

/* Shifts right by 1 to 53, to nearest, ties to even. */
static uint64_t shift_rounded(uint64_t value, int shift)
{
    uint64_t kept = value >> shift;
    uint64_t rest = value & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);

    return kept + (rest > half || (rest == half && (kept & 1)));
}

/* The bits of a finite |value| with this exponent and significand (53 bits).
 * A carry out of the mantissa runs into the exponent, up to infinity's. */
static uint64_t round_to(const struct format *f, int exponent,
                         uint64_t significand)
{
    int shift = 52 - f->mantissa_bits;
    uint64_t biased = 0;

    if (exponent >= 1 - f->bias)
        biased = (uint64_t)(exponent + f->bias - 1);
    else
        shift += 1 - f->bias - exponent;
    /* From 54 on the value is less than half of the smallest denormal. */
    if (shift > 53)
        return 0;
    return (biased << f->mantissa_bits) + shift_rounded(significand, shift);
}

static uint16_t narrow(const struct format *f, double value)
{
    uint64_t bits, mantissa, infinity, sign;
    int exponent;

    memcpy(&bits, &value, sizeof(bits));
    sign = bits >> 63 << 15;
    exponent = (int)(bits >> 52 & 0x7FF) - 1023;
    mantissa = bits & ((UINT64_C(1) << 52) - 1);
    infinity = (uint64_t)(2 * f->bias + 1) << f->mantissa_bits;
    if (exponent == 1024 && mantissa)
        return (uint16_t)(sign | infinity |
                          UINT64_C(1) << (f->mantissa_bits - 1) |
                          mantissa >> (52 - f->mantissa_bits));
    if (exponent > f->bias)
        return (uint16_t)(sign | infinity);
    return (uint16_t)(sign |
                      round_to(f, exponent, mantissa | UINT64_C(1) << 52));
}

uint16_t half_fp16_from_double(double value)
{
    return narrow(&fp16_format, value);
}

uint16_t half_bf16_from_double(double value)
{
    return narrow(&bf16_format, value);
}
