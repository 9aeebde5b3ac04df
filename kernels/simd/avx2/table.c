#include "kernels/simd/avx2/avx2.h"

#include "kernels/simd/generic/generic.h"

static void swap(unsigned char *data, const struct move_rows *rows)
{
    if (move_rows_reverse(rows))
        move_avx2_swap_reverse(data, rows);
    else if (rows->size < 16)
        move_code_plain.swap(data, rows);
    else
        move_avx2_swap_rows(data, rows);
}

static void copy(const unsigned char *from, unsigned char *to,
                 const struct move_rows *rows)
{
    if (move_rows_reverse(rows))
        move_avx2_copy_reverse(from, to, rows);
    else if (rows->size < 16)
        move_code_plain.copy(from, to, rows);
    else
        move_avx2_copy_rows(from, to, rows);
}

const struct move_code move_code_avx2 = {
    .name = "avx2",
    .swap = swap,
    .copy = copy,
    .stream = move_stream_plain,
    .swap_columns = move_avx2_swap_columns,
    .copy_columns = move_avx2_copy_columns,
    .transpose = move_avx2_transpose,
    .turn = move_avx2_turn,
    .turn_width = 16,
    .bits = move_avx2_bits,
};
