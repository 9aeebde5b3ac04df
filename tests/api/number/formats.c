#include "tests/api/number/formats.h"

#include <stdio.h>
#include <string.h>

#include "api/number/number.h"
#include "kernels/core/dtype.h"

static bool parse(enum dtype dtype, const char *text, size_t len, void *value)
{
    const struct value_format *format = number_format(dtype);

    if (!format->range->holds(text, len))
        return false;
    format->store(value, 0, text, len);
    return true;
}

bool number_parse_float(const char *text, size_t len, float *value)
{
    return parse(DTYPE_FP32, text, len, value);
}

bool number_parse_half(const char *text, size_t len, uint16_t *fp16)
{
    return parse(DTYPE_FP16, text, len, fp16);
}

bool number_parse_bfloat(const char *text, size_t len, uint16_t *bf16)
{
    return parse(DTYPE_BF16, text, len, bf16);
}

static size_t print(enum dtype dtype, const void *value, char *text)
{
    return number_format(dtype)->print(value, 0, text);
}

size_t number_print_float(float value, char *text)
{
    return print(DTYPE_FP32, &value, text);
}

size_t number_print_half(uint16_t fp16, char *text)
{
    return print(DTYPE_FP16, &fp16, text);
}

size_t number_print_bfloat(uint16_t bf16, char *text)
{
    return print(DTYPE_BF16, &bf16, text);
}

const struct narrow_format narrow_formats[2] = {
    {number_parse_half, number_print_half, half_fp16_to_float, 0x7C00},
    {number_parse_bfloat, number_print_bfloat, half_bf16_to_float, 0x7F80},
};

double narrow_format_value(const struct narrow_format *f, unsigned bits)
{
    return (double)f->widen((uint16_t)bits);
}

void near_write(const char *exact, bool less, const char *tail, char *text)
{
    const char *exponent = strchr(exact, 'e');
    const char *last = exponent;
    size_t len;

    do
        last--;
    while (*last == '0' || *last == '.');
    len = (size_t)(last - exact) + 1;
    memcpy(text, exact, len);
    text[len - 1] = (char)(text[len - 1] - less);
    sprintf(text + len, "%s%s%s", memchr(text, '.', len) ? "" : ".", tail,
            exponent);
}
