#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/bits.h"
#include "kernels/simd/vector_64.h"

#include "kernels/simd/columns.h"
#include "kernels/simd/row_kernels.h"

static const struct panel_kernels panel = {
    .load = avx512_panel_load,
    .store = avx512_panel_store,
};

static const struct column_shift_kernels column_shift = {
    .run = avx512_column_shift,
};

const struct kernel_table kernel_table_avx512 = {
    .name = "avx512",
    .rows = {.swap = rows_swap,
             .copy = rows_copy,
             .copy_nontemporal = rows_copy_nontemporal},
    .ragged_rows = {.swap = rows_swap_ragged, .copy = rows_copy_ragged},
    .columns = {.swap = columns_swap,
                .copy = columns_copy,
                .transpose = avx512_transpose},
    .copy_bits = copy_bits,
    .panel = &panel,
    .column_shift = &column_shift,
};
