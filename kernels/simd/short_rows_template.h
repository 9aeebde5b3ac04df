/* Rows of 16 bytes or more for tables with vectors of 32 bytes. A source file
 * of a table defines WIDTH as 32, then includes this. */
#pragma once

#include "kernels/simd/rows_template.h"

/* A row of 16 to 31 bytes: its first and last 16, which may overlap. */
INLINE void swap_short_row(unsigned char *a, unsigned char *b, size_t size)
{
    struct small_16 first[2], last[2];

    if (size == sizeof(first[0])) {
        small_swap_16(a, b);
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

INLINE void copy_short_row(const unsigned char *from, unsigned char *to,
                           size_t size)
{
    small_copy_16(from, to);
    if (size > sizeof(struct small_16))
        small_copy_16(from + size - 16, to + size - 16);
}

static void swap_short_rows(unsigned char *data, const struct strided_rows *r)
{
    for (size_t plane = 0; plane < r->batch; plane++) {
        unsigned char *a = data + r->a + plane * r->batch_step;
        unsigned char *b = data + r->b + plane * r->batch_step;

        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            swap_short_row(a + i * r->a_step, b + i * r->b_step, r->size);
    }
}

static void copy_short_rows(const unsigned char *data, unsigned char *out,
                            const struct strided_rows *r)
{
    for (size_t plane = 0; plane < r->batch; plane++) {
        const unsigned char *from = data + r->b + plane * r->batch_step;
        unsigned char *to = out + r->a + plane * r->batch_step;

        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            copy_short_row(from + i * r->b_step, to + i * r->a_step, r->size);
    }
}

/* As row_kernels.swap() and copy(), for rows of 16 bytes or more. */
INLINE void swap_rows_from_16(unsigned char *data,
                              const struct strided_rows *rows)
{
    if (rows->size < WIDTH)
        swap_short_rows(data, rows);
    else
        swap_rows(data, rows);
}

INLINE void copy_rows_from_16(const unsigned char *from, unsigned char *to,
                              const struct strided_rows *rows)
{
    if (rows->size < WIDTH)
        copy_short_rows(from, to, rows);
    else
        copy_rows(from, to, rows);
}
