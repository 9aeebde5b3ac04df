/* The vector functions for JSON of one instruction set. They check numbers by
 * arithmetic on masks that have one bit for each of 64 bytes.
 *
 * Each function handles what it can and stops before the rest; malformed text
 * is always left to the caller's byte-by-byte code. Results and errors are
 * therefore the same with every instruction set and with none. Nothing is read
 * or written outside of the ranges that are passed in. */
#pragma once

#include <stddef.h>

struct token_lengths;
struct token_stream;

enum {
    JSON_SIMD_BLOCK = 64, /* bytes */
    /* Rows that one step may write, most of them past the last real one. */
    JSON_SIMD_ROWS = 2 * JSON_SIMD_BLOCK,
};

struct json_simd {
    const char *name; /* "avx2", or "generic": all functions are NULL */

    /* Validate, count and index the elements of a list from `text`, the first
     * byte of an element, up to some comma. Return the first byte of the
     * element after that comma, or `text` when not one element was handled.
     * Read nothing past s->end, and start no block past s->next_cancel_check.
     */
    const char *(*integers)(struct token_stream *s, const char *text);
    const char *(*floats)(struct token_stream *s, const char *text);

    /* The same, and also record the elements' lengths, for rows of any number
     * of tokens. Stop at an element that cannot be recorded, and when `lengths`
     * is full. */
    const char *(*measure_integers)(struct token_stream *s, const char *text,
                                    struct token_lengths *lengths);
    const char *(*measure_floats)(struct token_stream *s, const char *text,
                                  struct token_lengths *lengths);

    /* The same as integers() for elements that are known to be valid, up to
     * s->validated_end, which is at least one block after `text`. */
    const char *(*validated)(struct token_stream *s, const char *text);

    /* Skips blocks that have no quotes and do not close the last of *depth
     * brackets. Returns the byte after them and updates *depth. */
    const char *(*lists)(const char *text, const char *end, size_t *depth);

    /* Copies [from, end) to `out` without white space and square brackets and
     * returns the end of the copy. The text has no strings. Up to
     * JSON_SIMD_BLOCK bytes past `end` are read, and past the copy written. */
    char *(*flatten)(const char *from, const char *end, char *out);
};
