/* Integers that jansson's 64 bits do not hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Rewrites each integer of a JSON text that is below -2^63 or above 2^63 - 1 in
 * place as a real number of about the same value: a sequence_id of 64 bits
 * without a sign can then be ignored, and whoever wants an integer still gets
 * none. Whether there was one. What is no JSON stays none, at the same byte. */
bool json_integers_soften(char *text, size_t len);
