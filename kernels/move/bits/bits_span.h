/* The mover of spans of packed elements, which may start and end inside a
 * byte. */
#pragma once

#include "kernels/simd/kernel_table.h"

struct bit_mover {
    const struct kernel_table *kernels; /* borrowed */
    struct element_format format;       /* of 1, 2 or 4 bits */
    bool reverse; /* the elements of a span change their order */
};

/* Two spans of whole elements, in bits from the start of their memory. */
struct bit_spans {
    size_t a, b; /* where they start */
    size_t bits; /* of each of them */
};

/* Exchanges the spans, which have no element in common. */
void bits_span_swap(const struct bit_mover *mover, unsigned char *data,
                    struct bit_spans s);

/* Copies span b of `from` to span a of `to` and changes no other bit. They may
 * be the same memory if the spans have no element in common. */
void bits_span_copy(const struct bit_mover *mover, const unsigned char *from,
                    unsigned char *to, struct bit_spans s);
