/* Decimals as their digits, for what a double does not tell; private to
 * api/number*.cc. A decimal is a token of JSON's grammar, from `text` to `end`;
 * its sign counts for nothing. */
#pragma once

/* The power of ten of the first digit that is not 0: 2 for 123, -3 for 0.004.
 * Very small for 0. */
long long decimal_exponent(const char *text, const char *end);

/* Compares the decimal's magnitude with that of `value`, which is not 0, has
 * few significant bits and lies next to it: negative, 0 or positive. */
int decimal_compare(const char *text, const char *end, double value);
