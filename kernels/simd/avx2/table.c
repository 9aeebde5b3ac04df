#include "kernels/simd/bits.h"
#include "kernels/simd/vector_32.h"

#include "kernels/simd/columns.h"
#include "kernels/simd/row_kernels.h"
#include "kernels/simd/transpose.h"

const struct kernel_table kernel_table_avx2 = {
    .name = "avx2",
    .rows = {.swap = rows_swap, .copy = rows_copy},
    .ragged_rows = {.swap = rows_swap_ragged, .copy = rows_copy_ragged},
    .columns = {.swap = columns_swap,
                .copy = columns_copy,
                .transpose = transpose,
                .transpose_side = VECTOR_BYTES},
    .copy_bits = copy_bits,
};
