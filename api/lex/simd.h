/* Data arrays many bytes at a time, where the processor can: numbers are
 * checked by arithmetic on masks that have one bit for each of 64 bytes.
 *
 * Each function does what it can and leaves the rest, in particular all that
 * is wrong, to the code around it, which goes byte by byte. So results and
 * errors are the same with and without it. Nothing is read or written past
 * the ends that are passed in. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct token_lengths;
struct text_scan;

enum {
    JSON_SIMD_BLOCK = 64, /* bytes */
    /* Most rows that are written in one step, whether they are there or not. */
    JSON_SIMD_ROWS = 2 * JSON_SIMD_BLOCK,
};

/* Asks for what will be read a page on, where the processor itself does not
 * look ahead: at the start of a page it has to learn the direction again. */
static inline void wide_foresee(const char *text)
{
    const uintptr_t page = 4096;

    __builtin_prefetch((const void *)((uintptr_t)text + page));
}

struct json_simd {
    const char *name;

    /* From the first byte of an element: counts and marks elements of a list
     * up to some comma, and returns the first byte of the element behind it;
     * `text` when there is none. Looks neither past s->end nor, but for a
     * block, past s->pause. */
    const char *(*integers)(struct text_scan *s, const char *text);
    const char *(*floats)(struct text_scan *s, const char *text);

    /* The same, and notes the elements that it passes over, in rows of any
     * length: up to one that cannot be noted, or the room's end. */
    const char *(*note_integers)(struct text_scan *s, const char *text,
                                 struct token_lengths *lengths);
    const char *(*note_floats)(struct text_scan *s, const char *text,
                               struct token_lengths *lengths);

    /* The same for elements that are known to be right, up to s->known, which
     * is at least a block away. */
    const char *(*known)(struct text_scan *s, const char *text);

    /* Passes over blocks without quotes in which *depth brackets do not all
     * close; returns the byte behind them and changes *depth accordingly. */
    const char *(*lists)(const char *text, const char *end, size_t *depth);

    /* Copies [from, end) to `out` without white space and square brackets and
     * returns the byte behind the copy. No strings. Up to JSON_SIMD_BLOCK bytes
     * past `end` are read and past the result are written. */
    char *(*flatten)(const char *from, const char *end, char *out);
};

/* The best for this processor, NULL when there is none; what json_simd_select()
 * has set, when it was called. */
const struct json_simd *json_simd_active(void);

/* For tests: NULL is byte by byte. Not while others work. */
void json_simd_select(const struct json_simd *simd);

/* Levels that this build and this processor know; NULL behind the last. */
const struct json_simd *json_simd_supported(int i);
