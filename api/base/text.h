/* Pieces of text: characters of UTF-8, percent escapes of a URL, digits; and
 * searches for bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Searches eight bytes at a time, in plain C. A mask has the top bit of each
 * byte that matches. Only the lowest set bit is exact; those above it may be
 * wrong because of a borrow. A search therefore uses the first match and goes
 * on after it. */
enum { SCAN_BLOCK = 8 }; /* bytes */

#define SCAN_ONES 0x0101010101010101U
#define SCAN_TOPS 0x8080808080808080U

/* The first byte of `text` is in the lowest bits. */
static inline uint64_t scan_load(const char *text)
{
    uint64_t block;

    memcpy(&block, text, sizeof(block));
    return block;
}

static inline uint64_t scan_equal(uint64_t block, unsigned char byte)
{
    uint64_t x = block ^ (SCAN_ONES * byte);

    return (x - SCAN_ONES) & ~x & SCAN_TOPS;
}

/* Bytes below `limit`, which is at most 0x80. */
static inline uint64_t scan_below(uint64_t block, unsigned char limit)
{
    return (block - SCAN_ONES * limit) & ~block & SCAN_TOPS;
}

/* Bytes that cannot stand as they are in a JSON string of ASCII, and quotes. */
static inline uint64_t scan_special(uint64_t block)
{
    return scan_equal(block, '"') | scan_equal(block, '\\') |
           scan_below(block, ' ') | (block & SCAN_TOPS);
}

/* Index of the first match of a mask that is not 0. */
static inline size_t scan_first(uint64_t mask)
{
    return (size_t)__builtin_ctzll(mask) / 8;
}
