/* Arguments of the column kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Time-major sequences: adjacent columns, each reversed up to its own length.
 * A call covers rows row .. row + rows - 1 of all columns. */
struct ragged_columns {
    size_t size;         /* bytes of an entry, >= 1 */
    size_t count;        /* columns */
    size_t row, rows;    /* the rows of this call */
    size_t from_step;    /* bytes from one row to the next */
    size_t to_step;      /* the same for the target of a copy */
    const int64_t *lens; /* borrowed: one a column */
};

/* Arguments of the transpose kernel: a matrix of small elements. */
struct transpose {
    size_t size;          /* bytes of an element: 1, 2, 4, 8 or 16 */
    size_t rows, columns; /* of the source; transpose_kernel.side bytes of each
                             or more */
    size_t from_step;     /* bytes from one row of the source to the next */
    size_t to_step;       /* bytes from one row of the target to the next */
    bool nontemporal;     /* the target may be written past the caches */

    /* Rows in memory that are needed next: they are prefetched meanwhile, as
     * they lie a stride apart, which no hardware prefetcher predicts. */
    const unsigned char *next; /* borrowed */
    size_t next_rows, next_step, next_bytes;
};
