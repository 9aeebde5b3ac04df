#include "kernels/simd/avx2/table.h"

#include "kernels/simd/avx2/avx2.h"

/* True if adjacent rows are reversed that have 1, 2, 4, 8 or 16 bytes. */
static bool reverses_small_rows(const struct strided_rows *rows)
{
    return rows->size <= 16 && (rows->size & (rows->size - 1)) == 0 &&
           strided_rows_reversed(rows);
}

static void swap(unsigned char *data, const struct strided_rows *rows)
{
    if (reverses_small_rows(rows))
        avx2_reverse_swap(data, rows);
    else
        avx2_rows_swap(data, rows);
}

static void copy(const unsigned char *from, unsigned char *to,
                 const struct strided_rows *rows)
{
    if (reverses_small_rows(rows))
        avx2_reverse_copy(from, to, rows);
    else
        avx2_rows_copy(from, to, rows);
}

const struct kernel_table kernel_table_avx2 = {
    .name = "avx2",
    .rows = {.swap = swap,
             .copy = copy,
             .copy_nontemporal = avx2_nontemporal_copy},
    .columns = {.swap = avx2_columns_swap,
                .copy = avx2_columns_copy,
                .transpose = avx2_transpose},
    .shuffle = {.run = avx2_shuffle, .width = 16},
    .bits = {.copy = avx2_bits_copy},
};
