/* Conversion of FP16 and BF16, as bit patterns, from and to wider formats. */
#pragma once

#include <stdint.h>

/* Exact. NaN payloads keep their upper bits; the NaN becomes quiet. */
float half_fp16_to_float(uint16_t fp16);
float half_bf16_to_float(uint16_t bf16);

/* Rounded once, to nearest, ties to even; values out of range become infinity.
 * NaN stays a NaN of the same sign. The argument is a double, so that a decimal
 * that was read as a double is not rounded a second time through FP32. */
uint16_t half_fp16_from_double(double value);
uint16_t half_bf16_from_double(double value);
