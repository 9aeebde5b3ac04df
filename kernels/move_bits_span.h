/* Spans of packed elements, moved by whole bytes at any place in a byte. */
#pragma once

#include "kernels/move_bits.h"

/* Elements `first` .. first + count - 1 of packed data. */
struct move_bits_span {
    size_t first, count;
};

/* Exchanges two spans of the same count that have no element in common; with
 * `reverse` each arrives in reverse order. */
void move_bits_span_swap(const struct move_bits *packing, unsigned char *data,
                         struct move_bits_span a, struct move_bits_span b,
                         bool reverse);

/* Copies b of `from` to a of `to`. */
void move_bits_span_copy(const struct move_bits *packing,
                         const unsigned char *from, unsigned char *to,
                         struct move_bits_span a, struct move_bits_span b,
                         bool reverse);
