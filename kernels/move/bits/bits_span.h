/* The mover of spans of packed elements. A span may start and end inside a
 * byte; it is moved by whole bytes. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* Elements `first` .. first + count - 1 of packed data. */
struct bit_span {
    size_t first, count;
};

struct bit_mover {
    const struct kernel_table *kernels; /* borrowed */
    struct bit_transfer transfer;       /* its shift does not matter */
};

/* Exchanges two spans of the same count that have no element in common. With
 * transfer.reverse each of them is reversed. */
void bits_span_swap(const struct bit_mover *mover, unsigned char *data,
                    struct bit_span a, struct bit_span b);

/* Copies span b of `from` to span a of `to`. They may be the same memory if the
 * spans have no element in common. */
void bits_span_copy(const struct bit_mover *mover, const unsigned char *from,
                    unsigned char *to, struct bit_span a, struct bit_span b);
