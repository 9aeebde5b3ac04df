/* FP16 and BF16 as bit patterns, to and from the wider formats. */
#pragma once

#include <stdint.h>

/* Exact. NaN payloads keep their upper bits and become quiet. */
float half_to_float(uint16_t fp16);
float bfloat_to_float(uint16_t bf16);

/* Rounded once, to nearest, ties to even; past the range to infinity. NaN stays
 * a NaN of the same sign. From double, so that a decimal that was read as a
 * double is not rounded a second time through FP32. */
uint16_t half_from_double(double value);
uint16_t bfloat_from_double(double value);
