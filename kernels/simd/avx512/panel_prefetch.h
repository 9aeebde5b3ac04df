/* Prefetches the rows of a panel's next block. Memory reaches its full
 * bandwidth only when cache lines are requested in the order of their
 * addresses, some of them at a time. Private to panel_load.c. */
#pragma once

#include "kernels/simd/column_args.h"
#include "kernels/simd/inline.h"

enum { PREFETCH_ROWS = 16 }; /* distance from the block's own rows */

struct panel_prefetch {
    const unsigned char *row; /* the row at hand */
    size_t rows, step;        /* rows that are left */
    size_t at, width;         /* bytes of a row that are done; all of them */
};

/* Starts with as many rows as the block has, PREFETCH_ROWS later. */
INLINE struct panel_prefetch panel_prefetch_start(const unsigned char *from,
                                                  const struct panel_block *b,
                                                  size_t size)
{
    size_t row = b->row + PREFETCH_ROWS, rows = PANEL_BLOCK_BYTES / size;

    if (row >= b->rows)
        return (struct panel_prefetch){.rows = 0};
    return (struct panel_prefetch){.row = from + row * b->step,
                                   .rows = b->rows - row < rows ? b->rows - row
                                                                : rows,
                                   .step = b->step,
                                   .width = b->columns * size};
}

/* Prefetches the next `lines` cache lines. */
INLINE void panel_prefetch_lines(struct panel_prefetch *p, size_t lines)
{
    for (; lines > 0 && p->rows > 0; lines--) {
        __builtin_prefetch(p->row + p->at);
        p->at += PANEL_BLOCK_BYTES;
        if (p->at >= p->width) {
            p->at = 0;
            p->row += p->step;
            p->rows--;
        }
    }
}
