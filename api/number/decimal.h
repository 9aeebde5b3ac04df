/* Decimals of any length, digit by digit, where a double is not exact enough.
 * Private to api/number. A decimal is a number of JSON's grammar, from `text`
 * to `end`; its sign is ignored. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* The power of ten of the first digit that is not 0: 2 for 123, -3 for 0.004.
 * Very small for 0. */
long long decimal_exponent(const char *text, const char *end);

/* Compares the decimal's magnitude with that of `value`: negative, 0 or
 * positive. `value` is close to the decimal, is not 0 and has few significant
 * bits. */
int decimal_compare(const char *text, const char *end, double value);

#ifdef __cplusplus
}
#endif
