#include "kernels/simd/avx512/table.h"

#include "kernels/simd/avx512/avx512.h"

enum { WIDTH = 64 };

static void swap(unsigned char *data, const struct strided_rows *rows)
{
    if (rows->size <= WIDTH && strided_rows_reversed(rows))
        avx512_reverse_swap(data, rows);
    else if (rows->size < WIDTH)
        avx512_short_rows_swap(data, rows);
    else
        avx512_rows_swap(data, rows);
}

static void copy(const unsigned char *from, unsigned char *to,
                 const struct strided_rows *rows)
{
    if (rows->size <= WIDTH && strided_rows_reversed(rows))
        avx512_reverse_copy(from, to, rows);
    else if (rows->size < WIDTH)
        avx512_short_rows_copy(from, to, rows);
    else
        avx512_rows_copy(from, to, rows);
}

static void swap_ragged(unsigned char *data, const struct ragged_rows *rows)
{
    if (rows->size <= WIDTH)
        avx512_reverse_swap_ragged(data, rows);
    else
        avx512_rows_swap_ragged(data, rows);
}

static void copy_ragged(const unsigned char *from, unsigned char *to,
                        const struct ragged_rows *rows)
{
    if (rows->size <= WIDTH)
        avx512_reverse_copy_ragged(from, to, rows);
    else
        avx512_rows_copy_ragged(from, to, rows);
}

static const struct ragged_row_kernels ragged_rows = {
    .swap = swap_ragged,
    .copy = copy_ragged,
};

static const struct ragged_bit_kernels ragged_bits = {
    .swap_span = avx512_bit_swap_span,
    .swap = avx512_bit_swap_ragged,
    .copy = avx512_bit_copy_ragged,
};

static const struct panel_kernels panel = {
    .load = avx512_panel_load,
    .store = avx512_panel_store,
};

static const struct column_shift_kernels column_shift = {
    .run = avx512_column_shift,
};

const struct kernel_table kernel_table_avx512 = {
    .name = "avx512",
    .rows = {.swap = swap,
             .copy = copy,
             .copy_nontemporal = avx512_nontemporal_copy},
    .columns = {.swap = avx512_columns_swap,
                .copy = avx512_columns_copy,
                .transpose = avx512_transpose},
    .shuffle = {.run = avx512_shuffle, .width = WIDTH},
    .bits = {.copy = avx512_bits_copy},
    .ragged_rows = &ragged_rows,
    .ragged_bits = &ragged_bits,
    .panel = &panel,
    .column_shift = &column_shift,
};
