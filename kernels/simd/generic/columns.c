#include <string.h>

#include "kernels/simd/generic/generic.h"

/* The compiler vectorises it. */
static void swap_entry(unsigned char *restrict a, unsigned char *restrict b,
                       size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char x = a[i];

        a[i] = b[i];
        b[i] = x;
    }
}

void move_swap_columns_plain(unsigned char *data, const struct move_tile *t)
{
    for (size_t row = t->row; row < t->row + t->rows; row++) {
        for (size_t i = 0; i < t->count; i++) {
            size_t len = (size_t)t->lens[i];
            unsigned char *first = data + i * t->size;

            if (row < len / 2)
                swap_entry(first + row * t->from_step,
                           first + (len - 1 - row) * t->from_step, t->size);
        }
    }
}

void move_copy_columns_plain(const unsigned char *from, unsigned char *to,
                             const struct move_tile *t)
{
    for (size_t row = t->row; row < t->row + t->rows; row++) {
        for (size_t i = 0; i < t->count; i++) {
            size_t len = (size_t)t->lens[i];
            size_t place = row < len ? len - 1 - row : row;

            memcpy(to + i * t->size, from + place * t->from_step + i * t->size,
                   t->size);
        }
        to += t->to_step;
    }
}
