/* The kernels over the vector that was included before, as the table of the
 * name KERNEL_TABLE: included by the table_X.c of each instruction set. */
#pragma once

#include "kernels/simd/bits.h"
#include "kernels/simd/columns.h"
#include "kernels/simd/reverse.h"

const struct kernel_table KERNEL_TABLE = {
    .swap_rows = rows_swap,
    .copy_rows = rows_copy,
    .swap_ragged_rows = rows_swap_ragged,
    .swap_columns = columns_swap,
    .transpose = transpose,
    .transpose_side = VECTOR_BYTES,
    .copy_bits = copy_bits,
};
