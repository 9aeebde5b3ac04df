#include "kernels/move_avx512.h"

#include "kernels/move_avx2.h"

static void swap(unsigned char *data, const struct move_rows *rows)
{
    move_code_avx2.swap(data, rows);
}

static void copy(const unsigned char *from, unsigned char *to,
                 const struct move_rows *rows)
{
    move_code_avx2.copy(from, to, rows);
}

static void swap_pairs(unsigned char *data, const struct move_pair *pairs,
                       size_t count, size_t size)
{
    move_code_avx2.swap_pairs(data, pairs, count, size);
}

static void copy_pairs(const unsigned char *from, unsigned char *to,
                       const struct move_pair *pairs, size_t count, size_t size)
{
    move_code_avx2.copy_pairs(from, to, pairs, count, size);
}

const struct move_code move_code_avx512 = {
    .name = "avx512",
    .swap = swap,
    .copy = copy,
    .swap_pairs = swap_pairs,
    .copy_pairs = copy_pairs,
    .transpose = move_avx2_transpose,
    .turn = move_avx512_turn,
    .turn_width = 64,
};
