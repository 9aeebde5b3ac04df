/* Spans of packed elements, moved by whole bytes at any place in a byte. */
#pragma once

#include "kernels/move/bits.h"

/* Elements `first` .. first + count - 1 of packed data. */
struct move_bits_span {
    size_t first, count;
};

/* How whole bytes are made of others: from each 8 bits in the order of the
 * elements that start `shift` bits inside a byte, 0 to 7, or, in reverse, from
 * the last to the first and the elements of each in reverse order. */
struct move_bits_way {
    struct move_bits packing;
    bool reverse;
    unsigned shift;
};

/* Exchanges two spans of the same count that have no element in common; with
 * way->reverse each arrives in reverse order. way->shift does not matter. */
void move_bits_span_swap(const struct move_code *code,
                         const struct move_bits_way *way, unsigned char *data,
                         struct move_bits_span a, struct move_bits_span b);

/* Copies b of `from` to a of `to`. They may be the same memory, where the spans
 * have no element in common. */
void move_bits_span_copy(const struct move_code *code,
                         const struct move_bits_way *way,
                         const unsigned char *from, unsigned char *to,
                         struct move_bits_span a, struct move_bits_span b);
