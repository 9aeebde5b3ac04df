/* The kernels over the vector that was included before, as a table: included by
 * the table_X.c of each instruction set. */
#pragma once

#include "kernels/simd/bits.h"
#include "kernels/simd/columns.h"
#include "kernels/simd/reverse.h"

#define KERNEL_TABLE(set)                                                      \
    {                                                                          \
        .name = (set), .rows = {.swap = rows_swap, .copy = rows_copy},         \
        .swap_ragged_rows = rows_swap_ragged,                                  \
        .columns = {.swap = columns_swap,                                      \
                    .transpose = transpose,                                    \
                    .transpose_side = VECTOR_BYTES},                           \
        .copy_bits = copy_bits,                                                \
    }
