/* Arguments of the row kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arguments of the row kernels: equally spaced rows that are exchanged or
 * copied.
 *
 * Row i of side a lies at a + i * a_step, row i of side b at b + i * b_step,
 * for i < count. The whole repeats `batch` times, batch_step further each time
 * on both sides; one repetition is called a plane.
 *
 * All figures but the counts are in units: bytes for the row kernels, packed
 * elements in move/bits/bits.h. Row i of one side and row j of the other never
 * overlap. */
struct strided_rows {
    size_t a, b;              /* offset of row 0 */
    ptrdiff_t a_step, b_step; /* from one row to the next; may be negative */
    size_t count;             /* rows of a plane, >= 1 */
    size_t size;              /* of a row, >= 1 */
    size_t batch;             /* planes, >= 1 */
    size_t batch_step;        /* from one plane to the next */
};

/* True if the rows are adjacent, of any size, and their order is reversed. */
static inline bool strided_rows_reversed(const struct strided_rows *rows)
{
    ptrdiff_t size = (ptrdiff_t)rows->size;

    return rows->a_step == size && rows->b_step == -size;
}

/* Batch-major sequences: adjacent in memory, each of `rows` rows, of which the
 * first lens[i] are reversed and the others stay.
 *
 * For packed elements a row is one element, `size` is 1, and each sequence has
 * a whole number of bytes. */
struct ragged_rows {
    size_t size;         /* bytes of a row, >= 1 */
    size_t rows;         /* of a sequence, >= 1 */
    size_t count;        /* sequences, >= 1 */
    const int64_t *lens; /* borrowed: one a sequence, 0 to rows */
};
