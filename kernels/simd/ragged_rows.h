/* Batch-major sequences: adjacent in memory, each of `rows` rows, of which the
 * first lens[i] are reversed and the others stay.
 *
 * For packed elements a row is one element, `size` is 1, and each sequence has
 * a whole number of bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ragged_rows {
    size_t size;         /* bytes of a row, >= 1 */
    size_t rows;         /* of a sequence, >= 1 */
    size_t count;        /* sequences, >= 1 */
    const int64_t *lens; /* borrowed: one a sequence, 0 to rows */
};
