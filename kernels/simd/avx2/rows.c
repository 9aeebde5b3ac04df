#include "kernels/simd/avx2/avx2.h"

#define WIDTH 32
#include "kernels/simd/columns.h"

/* Rows of 16 to 31 bytes: both ends, overlapping. */
INLINE void swap_small_row(unsigned char *a, unsigned char *b, size_t size)
{
    struct move_unit_block first[2], last[2];

    if (size == sizeof(first[0])) {
        move_unit_swap_block(a, b);
        return;
    }
    memcpy(&first[0], a, 16);
    memcpy(&first[1], b, 16);
    memcpy(&last[0], a + size - 16, 16);
    memcpy(&last[1], b + size - 16, 16);
    memcpy(a, &first[1], 16);
    memcpy(b, &first[0], 16);
    memcpy(a + size - 16, &last[1], 16);
    memcpy(b + size - 16, &last[0], 16);
}

INLINE void copy_small_row(const unsigned char *from, unsigned char *to,
                           size_t size)
{
    move_unit_copy_block(from, to);
    if (size > sizeof(struct move_unit_block))
        move_unit_copy_block(from + size - 16, to + size - 16);
}

static void swap_small_rows(unsigned char *data, const struct move_rows *r)
{
    for (size_t plane = 0; plane < r->planes; plane++) {
        unsigned char *a = data + r->a + plane * r->plane_step;
        unsigned char *b = data + r->b + plane * r->plane_step;

        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            swap_small_row(a + i * r->a_step, b + i * r->b_step, r->size);
    }
}

static void copy_small_rows(const unsigned char *data, unsigned char *out,
                            const struct move_rows *r)
{
    for (size_t plane = 0; plane < r->planes; plane++) {
        const unsigned char *from = data + r->b + plane * r->plane_step;
        unsigned char *to = out + r->a + plane * r->plane_step;

        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            copy_small_row(from + i * r->b_step, to + i * r->a_step, r->size);
    }
}

void move_avx2_swap_rows(unsigned char *data, const struct move_rows *rows)
{
    if (rows->size < WIDTH)
        swap_small_rows(data, rows);
    else
        swap_rows(data, rows);
}

void move_avx2_copy_rows(const unsigned char *from, unsigned char *to,
                         const struct move_rows *rows)
{
    if (rows->size < WIDTH)
        copy_small_rows(from, to, rows);
    else
        copy_rows(from, to, rows);
}

void move_avx2_swap_columns(unsigned char *data, const struct move_tile *tile)
{
    if (tile->size < 8)
        move_code_plain.swap_columns(data, tile);
    else
        swap_columns(data, tile);
}

void move_avx2_copy_columns(const unsigned char *from, unsigned char *to,
                            const struct move_tile *tile)
{
    if (tile->size < 8)
        move_code_plain.copy_columns(from, to, tile);
    else
        copy_columns(from, to, tile);
}
