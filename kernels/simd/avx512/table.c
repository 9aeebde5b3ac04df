#include "kernels/simd/avx512/avx512.h"

#include "kernels/simd/avx2/avx2.h"

enum { WIDTH = 64 };

/* Whether the span reverses short rows that lie next to each other. */
static bool reverses(const struct move_rows *rows)
{
    ptrdiff_t size = (ptrdiff_t)rows->size;

    return size <= WIDTH && rows->a_step == size && rows->b_step == -size;
}

static void swap(unsigned char *data, const struct move_rows *rows)
{
    if (reverses(rows))
        move_avx512_swap_reverse(data, rows);
    else if (rows->size < WIDTH)
        move_code_avx2.swap(data, rows);
    else
        move_avx512_swap_rows(data, rows);
}

static void copy(const unsigned char *from, unsigned char *to,
                 const struct move_rows *rows)
{
    if (reverses(rows))
        move_avx512_copy_reverse(from, to, rows);
    else if (rows->size < WIDTH)
        move_code_avx2.copy(from, to, rows);
    else
        move_avx512_copy_rows(from, to, rows);
}

static void swap_sequences(unsigned char *data, const struct move_sequences *s)
{
    if (s->size <= WIDTH)
        move_avx512_swap_short_lens(data, s);
    else
        move_avx512_swap_lens(data, s);
}

static void copy_sequences(const unsigned char *from, unsigned char *to,
                           const struct move_sequences *s)
{
    if (s->size <= WIDTH)
        move_avx512_copy_short_lens(from, to, s);
    else
        move_avx512_copy_lens(from, to, s);
}

const struct move_code move_code_avx512 = {
    .name = "avx512",
    .swap = swap,
    .copy = copy,
    .stream = move_avx512_stream,
    .swap_columns = move_avx512_swap_columns,
    .copy_columns = move_avx512_copy_columns,
    .swap_sequences = swap_sequences,
    .copy_sequences = copy_sequences,
    .transpose = move_avx2_transpose,
    .turn = move_avx512_turn,
    .turn_width = 64,
    .bits = move_avx512_bits,
    .swap_bits = move_avx512_swap_bits,
    .swap_bit_lens = move_avx512_swap_bit_lens,
    .copy_bit_lens = move_avx512_copy_bit_lens,
    .take = move_avx512_take,
    .put = move_avx512_put,
    .rise = move_avx512_rise,
};
