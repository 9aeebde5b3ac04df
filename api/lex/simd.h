/* The block code for JSON: one algorithm (simd_functions.h), compiled for each
 * instruction set, and which of them this process uses.
 *
 * Each function handles what it can and stops before the rest; rare and
 * malformed text is left to the caller's byte-by-byte code. Results and errors
 * are therefore the same with every instruction set. Nothing is read or written
 * outside of the ranges that are passed in. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/core/isa.h"

struct comma_index;
struct row_index;

enum {
    JSON_SIMD_BLOCK = 64,     /* bytes */
    JSON_SIMD_TAILROOM = 128, /* bytes that flatten() may read and write more */
};

struct json_simd {
    /* Validates the next `blocks` blocks of a list of numbers, in the array
     * `text`, and appends their commas to `index`. Stops at the first number
     * that it cannot accept, and sets index->stopped. */
    void (*numbers)(struct comma_index *index, const char *text, size_t blocks);

    /* Ends a token at each comma and stores the rows that are complete. The
     * first token starts at offset rows->row_start, or before it in a row that
     * is not complete. Returns the number of tokens. */
    uint64_t (*rows)(struct row_index *rows, const char *text,
                     const struct comma_index *commas);

    /* Skips blocks that have no quotes and do not close the last of *depth
     * brackets. Returns the byte after them and updates *depth. */
    const char *(*lists)(const char *text, const char *end, size_t *depth);

    /* Copies [from, end) to `out` without white space and square brackets and
     * returns the end of the copy. The text has no strings. Up to
     * JSON_SIMD_TAILROOM bytes are read past `end` and written past the
     * copy. */
    char *(*flatten)(const char *from, const char *end, char *out);
};

/* The tables; a build has the generic one and those for its processor. */
extern const struct json_simd json_simd_generic, json_simd_avx2,
    json_simd_avx512;

/* The same by their set; NULL: not in this build. */
extern const struct json_simd *const json_simd_tables[ISA_COUNT];

/* The table of isa_active(). Any thread. */
const struct json_simd *json_simd_active(void);
