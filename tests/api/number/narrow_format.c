#include "tests/api/number/narrow_format.h"

#include "kernels/core/dtype.h"
#include "tests/api/number/formats.h"

const struct narrow_format narrow_formats[2] = {
    {number_parse_half, number_print_half, half_fp16_to_float, 0x7C00},
    {number_parse_bfloat, number_print_bfloat, half_bf16_to_float, 0x7F80},
};

double narrow_format_value(const struct narrow_format *f, unsigned bits)
{
    return (double)f->widen((uint16_t)bits);
}
