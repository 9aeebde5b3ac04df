/* Pieces of text: characters of UTF-8, percent escapes of a URL, digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that starts at `text`, 1 to 4; 0 when the `len` >= 1
 * bytes start with no well-formed one. Overlong forms, surrogates and values
 * past U+10FFFF are not well-formed. */
size_t utf8_length(const unsigned char *text, size_t len);

/* Decodes the escapes of `text`, a segment of a path or a word of a query, into
 * `out` of `size` bytes; writes no NUL. False when the result is too long or
 * has a NUL, or an escape is not valid. `out` may be `text`. */
bool percent_decode(const char *text, size_t len, char *out, size_t size,
                    size_t *out_len);

/* Reads `len` decimal digits, at least one; false when there is another byte. A
 * number past 63 bits becomes 2^63 - 1. */
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

/* The value of a hexadecimal digit, or -1. */
static inline int digits_hex(char c)
{
    char letter = (char)(c | 0x20);

    if (c >= '0' && c <= '9')
        return c - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}
