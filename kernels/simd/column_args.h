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

/* Arguments of the panel kernels: a block of rows of a panel of columns, which
 * is loaded into the scratch memory or stored from it.
 *
 * A block has PANEL_BLOCK_BYTES / size rows, fewer at the end of the panel. In
 * the scratch memory it has PANEL_BLOCK_BYTES for each column. */
enum {
    PANEL_BLOCK_BYTES = 64,     /* of a column in a block */
    PANEL_BLOCK_ROW_BYTES = 512 /* widest row of a panel */
};

struct panel_block {
    size_t size;         /* of an entry: 1, 2, 4 or 8 bytes */
    size_t columns;      /* PANEL_BLOCK_BYTES to PANEL_BLOCK_ROW_BYTES wide */
    size_t rows;         /* of the panel, >= any length */
    size_t row;          /* the first of the block */
    size_t step;         /* bytes from one row to the next */
    const int64_t *lens; /* borrowed: how many entries of a column reverse */
    bool nontemporal;    /* the target is written past the caches */
};

/* Arguments of the column shift kernel: columns whose entries lie side by side
 * in 64 bytes, each reversed up to its own length. */
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

/* Arguments of the transpose kernel: a matrix of small elements. */
struct transpose {
    size_t size;          /* bytes of an element: 1, 2, 4 or 8 */
    size_t rows, columns; /* of the source; each >= 16 / size */
    size_t from_step;     /* bytes from one row of the source to the next */
    size_t to_step;       /* bytes from one row of the target to the next */
};
