#include "kernels/simd/bits.h"
#include "kernels/simd/vector_16.h"

#include "kernels/simd/columns.h"
#include "kernels/simd/row_kernels.h"
#include "kernels/simd/transpose.h"

const struct kernel_table kernel_table_generic = {
    .name = "generic",
    .rows = {.swap = rows_swap, .copy = rows_copy},
    .ragged_rows = {.swap = rows_swap_ragged, .copy = rows_copy_ragged},
    .columns = {.swap = columns_swap,
                .copy = columns_copy,
                .transpose = transpose,
                .transpose_side = VECTOR_BYTES},
    .copy_bits = copy_bits,
};
