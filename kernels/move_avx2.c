#include "kernels/move_avx2.h"

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

static void swap_pairs(unsigned char *data, const struct move_pair *pairs,
                       size_t count, size_t size)
{
    if (size < 16)
        move_code_plain.swap_pairs(data, pairs, count, size);
    else
        move_avx2_swap_pairs(data, pairs, count, size);
}

static void copy_pairs(const unsigned char *from, unsigned char *to,
                       const struct move_pair *pairs, size_t count, size_t size)
{
    if (size < 16)
        move_code_plain.copy_pairs(from, to, pairs, count, size);
    else
        move_avx2_copy_pairs(from, to, pairs, count, size);
}

const struct move_code move_code_avx2 = {
    .name = "avx2",
    .swap = swap,
    .copy = copy,
    .swap_pairs = swap_pairs,
    .copy_pairs = copy_pairs,
    .transpose = move_avx2_transpose,
    .turn = move_avx2_turn,
    .turn_width = 16,
    .bits = move_avx2_bits,
};
