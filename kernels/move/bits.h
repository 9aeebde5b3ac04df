/* Elements of 1, 2 or 4 bits, packed into bytes. They never straddle one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/simd/kernel_table.h"

struct move_bits {
    unsigned bits;   /* an element: 1, 2 or 4 */
    bool high_first; /* the first element of a byte is in its high bits */
};

/* Element `index` of packed data, in the low bits of the result. */
unsigned move_bits_get(const struct move_bits *packing,
                       const unsigned char *data, size_t index);

/* Writes element `index` and no other bit. */
void move_bits_set(const struct move_bits *packing, unsigned char *data,
                   size_t index, unsigned value);

/* As code->swap() and code->copy(), in units of elements. */
void move_bits_swap(const struct move_code *code,
                    const struct move_bits *packing, unsigned char *data,
                    const struct move_rows *rows);
void move_bits_copy(const struct move_code *code,
                    const struct move_bits *packing, const unsigned char *from,
                    unsigned char *to, const struct move_rows *rows);
