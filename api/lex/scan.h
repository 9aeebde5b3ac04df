/* Classes of JSON's characters, and searches for them eight bytes at a time, in
 * plain C.
 *
 * A mask has the top bit of each byte that matches. Only the lowest set bit is
 * exact; those above it may be wrong because of a borrow. A search therefore
 * uses the first match and goes on after it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Bytes that cannot stand in a JSON string of ASCII as they are, and its quote.
 */
static inline uint64_t scan_special(uint64_t block)
{
    return scan_equal(block, '"') | scan_equal(block, '\\') |
           scan_below(block, ' ') | (block & SCAN_TOPS);
}

/* '[' and ']', and also 'Y' and '_', which differ from them in two bits. */
static inline uint64_t scan_brackets(uint64_t block)
{
    return scan_equal(block | (SCAN_ONES * 6), '[' | 6);
}

static inline uint64_t scan_other_than_digits(uint64_t block)
{
    return ((block + SCAN_ONES * (0x80 - ':')) | (block - SCAN_ONES * '0')) &
           SCAN_TOPS;
}

/* Index of the first match of a mask that is not 0. */
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

/* The first byte that is not white space. The text must have one. */
static inline const char *scan_skip_space(const char *text)
{
    while (scan_is_space(*text))
        text++;
    return text;
}

/* The byte after `literal` when the text starts with it, else NULL. The text
 * has a byte that is not in `literal`. */
static inline const char *scan_literal(const char *text, const char *literal)
{
    while (*literal && *text == *literal) {
        text++;
        literal++;
    }
    return *literal ? NULL : text;
}

/* The byte after the closing quote of the string whose content starts at
 * `text`, or NULL when it is not closed. Checks quotes and backslashes only. */
const char *scan_string_end(const char *text, const char *end);

/* Checks the string whose opening quote is at *text: escapes, no control
 * characters, UTF-8, no lone surrogates. Moves *text to the byte after the
 * closing quote, or to the byte that is wrong; *why then says what (static
 * storage). */
bool scan_string(const char **text, const char *end, const char **why);

/* Writes the decoded bytes of a checked string, moves *text to the byte after
 * it and returns their number, which is less than the length of the string. */
size_t scan_decode(const char **text, const char *end, unsigned char *out);

/* The byte after the bracket that closes the array whose inside `text` points
 * to, in no string and no inner array; NULL when there is none. Counts square
 * brackets outside of strings and checks nothing else of the grammar. */
const char *scan_list_end(const char *text, const char *end);

/* A hint for an error about the byte `at`, which starts no value or key of JSON
 * there, as people and other languages write it: ": ..." or "". `start` and
 * `end` are those of the text. */
const char *scan_mistake(const char *start, const char *at, const char *end);
