/* Rows that are read soon. Memory gives them at its pace only when it is asked
 * for their lines in the order in which these lie there, some at a time.
 * Private to move_avx512_columns.c. */
#pragma once

#include "kernels/simd/kernel_table.h"
#include "kernels/simd/unit.h"

enum { AHEAD_ROWS = 16 };

struct ahead {
    const unsigned char *row;
    size_t rows, step;
    size_t at, width; /* bytes of a row */
};

/* As many rows as the block has, later ones. */
MOVE_UNIT_INLINE struct ahead ahead_of(const unsigned char *from,
                                       const struct move_block *b, size_t size)
{
    size_t row = b->row + AHEAD_ROWS, rows = MOVE_BLOCK_BYTES / size;

    if (row >= b->rows)
        return (struct ahead){.rows = 0};
    return (struct ahead){.row = from + row * b->step,
                          .rows = b->rows - row < rows ? b->rows - row : rows,
                          .step = b->step,
                          .width = b->columns * size};
}

MOVE_UNIT_INLINE void ask(struct ahead *a, size_t lines)
{
    for (; lines > 0 && a->rows > 0; lines--) {
        __builtin_prefetch(a->row + a->at);
        a->at += MOVE_BLOCK_BYTES;
        if (a->at >= a->width) {
            a->at = 0;
            a->row += a->step;
            a->rows--;
        }
    }
}
