/* Whole numbers of decimal digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads `len` digits, at least one; false when there is another byte. A number
 * past 63 bits becomes 2^63 - 1. */
static inline bool digits_read(const char *text, size_t len, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned char)text[i] - (unsigned)'0';

        if (digit > 9)
            return false;
        if (*value > ((uint64_t)INT64_MAX - digit) / 10)
            *value = INT64_MAX;
        else
            *value = *value * 10 + digit;
    }
    return len > 0;
}
