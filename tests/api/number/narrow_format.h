/* The 16-bit float formats, for the tests of reading and printing them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
