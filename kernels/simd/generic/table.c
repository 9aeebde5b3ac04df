#include "kernels/simd/generic/table.h"

#include "kernels/simd/generic/generic.h"
#include "kernels/simd/plain_bits.h"
#include "kernels/simd/plain_columns.h"
#include "kernels/simd/plain_rows.h"

const struct kernel_table kernel_table_generic = {
    .name = "generic",
    .rows = {.swap = plain_swap_rows,
             .copy = plain_copy_rows,
             .copy_nontemporal = generic_nontemporal_copy},
    .columns = {.swap = plain_swap_columns,
                .copy = plain_copy_columns,
                .transpose = generic_transpose},
    .shuffle = {.run = generic_shuffle, .width = 8},
    .bits = {.copy = plain_copy_bits},
};
