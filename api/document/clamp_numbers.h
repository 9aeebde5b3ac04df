/* Numbers that jansson's 64 bits do not hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Rewrites in place, each to the same number of bytes: an integer below -2^63
 * or above 2^63 - 1 becomes a real number of about the same value, and a real
 * number past the range of FP64 another one past the range of FP32. So a
 * sequence_id of 64 bits without a sign, or 1e400, can be ignored, and a field
 * that wants a number still refuses it. Text that is no JSON stays malformed at
 * the same byte. Returns whether a number was rewritten. */
bool clamp_numbers(char *text, size_t len);
