/* Ragged columns in plain C. Every table includes these loops for entries of
 * fewer than 8 bytes; the generic table has no others. */
#pragma once

#include <string.h>

#include "kernels/simd/column_args.h"

/* The compiler vectorises it. */
static inline void plain_swap_entry(unsigned char *restrict a,
                                    unsigned char *restrict b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char x = a[i];

        a[i] = b[i];
        b[i] = x;
    }
}

/* As column_kernels.swap(). */
static inline void plain_swap_columns(unsigned char *data,
                                      const struct ragged_columns *c)
{
    for (size_t row = c->row; row < c->row + c->rows; row++) {
        for (size_t i = 0; i < c->count; i++) {
            size_t len = (size_t)c->lens[i];
            unsigned char *first = data + i * c->size;

            if (row < len / 2)
                plain_swap_entry(first + row * c->from_step,
                                 first + (len - 1 - row) * c->from_step,
                                 c->size);
        }
    }
}

/* As column_kernels.copy(). */
static inline void plain_copy_columns(const unsigned char *from,
                                      unsigned char *to,
                                      const struct ragged_columns *c)
{
    for (size_t row = c->row; row < c->row + c->rows; row++) {
        for (size_t i = 0; i < c->count; i++) {
            size_t len = (size_t)c->lens[i];
            size_t source = row < len ? len - 1 - row : row;

            memcpy(to + i * c->size, from + source * c->from_step + i * c->size,
                   c->size);
        }
        to += c->to_step;
    }
}
