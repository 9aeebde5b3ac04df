/* The mover of packed elements: of 1, 2 or 4 bits, which never straddle a byte.
 * All offsets, sizes and steps of rows are in elements. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* The same memory, for a move in place, or two that do not overlap. */
struct bits_memory {
    const struct kernel_table *kernels; /* borrowed */
    struct element_format format;       /* of 1, 2 or 4 bits */
    const unsigned char *from;
    unsigned char *to;
};

/* As kernel_table.swap_rows() in place, else as copy_rows(). */
void bits_move_rows(const struct bits_memory *memory,
                    const struct strided_rows *rows);

/* As kernel_table.swap_ragged_rows(), in place. A row is one element. */
void bits_swap_ragged_rows(const struct bits_memory *memory,
                           const struct ragged_rows *rows);
