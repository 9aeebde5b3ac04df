/* Floating-point text to values and back: libstdc++'s <charconv> behind C.
 *
 * Parsing takes a token that the JSON grammar of numbers has accepted (the
 * words NaN and Infinity are the caller's). The result is correctly rounded
 * from the decimal in one step, also for the 16-bit formats. A value too small
 * for the format becomes the nearest one (0 or the smallest); false means that
 * it rounds to infinity. No locale, no allocation, any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

bool number_parse_double(const char *text, size_t len, double *value);
bool number_parse_float(const char *text, size_t len, float *value);
bool number_parse_half(const char *text, size_t len, uint16_t *fp16);
bool number_parse_bfloat(const char *text, size_t len, uint16_t *bf16);

/* The longest text that any of the printers writes, with no terminator. */
enum { NUMBER_TEXT_MAX = 32 };

/* Write the shortest decimal that reads back to the same bits (NaN, Infinity
 * and -Infinity as those words; every NaN prints as NaN) and return its
 * length. Whole numbers print without a fraction: 3, not 3.0; but -0.0, which
 * as -0 Python's readers would take for the integer 0. */
size_t number_print_double(double value, char *text);
size_t number_print_float(float value, char *text);
size_t number_print_half(uint16_t fp16, char *text);
size_t number_print_bfloat(uint16_t bf16, char *text);

#ifdef __cplusplus
}
#endif
