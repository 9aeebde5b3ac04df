/* Arguments of the column shift kernel: columns whose entries lie side by side
 * in 64 bytes, each reversed up to its own length. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    COLUMN_SHIFT_MIN_ROWS = 16,
    COLUMN_SHIFT_MAX_ROWS = 1024,
    /* Size of the scratch memory that the kernel needs. */
    COLUMN_SHIFT_SCRATCH_BYTES = (COLUMN_SHIFT_MAX_ROWS + 256) * 64
};

struct column_shift {
    const int64_t *lens; /* borrowed: how many entries of a column reverse */
    size_t size;         /* of an entry: 1, 2, 4 or 8 bytes */
    size_t kept;         /* the first `kept` columns stay as they are */
    size_t rows;         /* COLUMN_SHIFT_MIN_ROWS to COLUMN_SHIFT_MAX_ROWS */
    size_t step;         /* bytes from one row to the next */
};
