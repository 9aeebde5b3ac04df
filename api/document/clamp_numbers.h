/* Numbers that jansson's 64 bits do not hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Rewrites each integer of a JSON text that is below -2^63 or above 2^63 - 1 in
 * place as a real number of about the same value, and each real number past
 * the range of FP64 as another one past that of FP32: a sequence_id of 64 bits
 * without a sign, or 1e400, can then be ignored, and whoever wants a number
 * still gets none that would do. Whether there was one. What is no JSON stays
 * none, at the same byte. */
bool json_overflow_soften(char *text, size_t len);
