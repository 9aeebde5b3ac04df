/* Classes of JSON's characters, and searches for them: see base/text.h. */
#pragma once

#include "api/base/text.h"

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
