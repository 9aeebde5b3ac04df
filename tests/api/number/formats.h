/* The float formats by name: number_format() of their datatypes; the 16-bit
 * ones also as a table; and decimals close to a number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when the number rounds to infinity; *value is then left alone. */
bool number_parse_float(const char *text, size_t len, float *value);
bool number_parse_half(const char *text, size_t len, uint16_t *fp16);
bool number_parse_bfloat(const char *text, size_t len, uint16_t *bf16);

/* Print at most NUMBER_TEXT_MAX bytes and return their number. */
size_t number_print_float(float value, char *text);
size_t number_print_half(uint16_t fp16, char *text);
size_t number_print_bfloat(uint16_t bf16, char *text);

struct narrow_format {
    bool (*read)(const char *text, size_t len, uint16_t *bits);
    size_t (*print)(uint16_t bits, char *text);
    float (*widen)(uint16_t bits);
    unsigned infinity;
};

/* FP16 and BF16. */
extern const struct narrow_format narrow_formats[2];

/* The value of a bit pattern. */
double narrow_format_value(const struct narrow_format *f, unsigned bits);

/* Copies `exact` to `text` with `tail` after its last digit that is not 0;
 * `less` decrements that digit. Both have the form of "%.*e"; `text` has space
 * for both. */
void near_write(const char *exact, bool less, const char *tail, char *text);
