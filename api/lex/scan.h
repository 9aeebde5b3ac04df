/* What the skimmer and the text modules share: classes of JSON's characters,
 * and looking for them eight bytes at a time, in plain C.
 *
 * A mask has the top bit of each byte that was looked for. Only the lowest set
 * bit is exact, those above it may be wrong (a borrow): take the first and go
 * on behind it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SCAN_BLOCK = 8 }; /* bytes */

#define SCAN_ONES 0x0101010101010101U
#define SCAN_TOPS 0x8080808080808080U

/* The first byte in the lowest bits. */
static inline uint64_t scan_load(const char *text)
{
    uint64_t block;

    memcpy(&block, text, sizeof(block));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    block = __builtin_bswap64(block);
#endif
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

/* '[' and ']', and 'Y' and '_', which differ from them in two bits only. */
static inline uint64_t scan_brackets(uint64_t block)
{
    return scan_equal(block | (SCAN_ONES * 6), '[' | 6);
}

static inline uint64_t scan_other_than_digits(uint64_t block)
{
    return ((block + SCAN_ONES * (0x80 - ':')) | (block - SCAN_ONES * '0')) &
           SCAN_TOPS;
}

/* Place of the first byte in a mask that is not 0. */
static inline size_t scan_first(uint64_t mask)
{
    return (size_t)__builtin_ctzll(mask) / 8;
}

static inline bool scan_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline bool scan_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Reads four hexadecimal digits, or returns -1. */
int scan_hex4(const char *text);

/* Inside a string: its closing quote, the next '\\', or `end`. */
const char *scan_quote(const char *text, const char *end);

/* Behind the closing quote of the string whose inside starts at `text`, or
 * NULL when it is not closed. Looks at quotes and backslashes only. */
const char *scan_string_end(const char *text, const char *end);

/* Passes over blocks of 64 bytes without white space, square brackets and
 * quotes, and returns the byte behind them. */
const char *scan_solid(const char *text, const char *end);

/* Behind the bracket that closes the array at `text`, or NULL when there is
 * none. Counts square brackets outside of strings, and looks at nothing else:
 * the array's grammar is for tensor_json_index() to judge. */
const char *scan_array_end(const char *text, const char *end);

/* The same from a place in the array that is in no string and no array in it.
 */
const char *scan_list_end(const char *text, const char *end);
