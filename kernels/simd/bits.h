/* The loop over packed elements, 64 bits at a time in plain C. Each table
 * compiles it for its instruction set: the compiler makes vectors of it. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernels/simd/kernel_table.h"

/* Reverses the elements inside each byte of a word. */
INLINE uint64_t reverse_elements(uint64_t x, unsigned bits)
{
    x = (x >> 4 & 0x0F0F0F0F0F0F0F0F) | (x << 4 & 0xF0F0F0F0F0F0F0F0);
    if (bits < 4)
        x = (x >> 2 & 0x3333333333333333) | (x << 2 & 0xCCCCCCCCCCCCCCCC);
    if (bits < 2)
        x = (x >> 1 & 0x5555555555555555) | (x << 1 & 0xAAAAAAAAAAAAAAAA);
    return x;
}

/* Loads the 64 bits that start `shift` bits inside the byte at `at`, moved to
 * the start of a byte: each byte joins bits of two adjacent ones. Reads the
 * ninth byte only if there is a shift. */
INLINE uint64_t load_bits(const unsigned char *at, unsigned shift,
                          bool high_first)
{
    const size_t next = shift > 0;
    const unsigned rest = 8 * (unsigned)next - shift;
    const uint64_t high =
        UINT64_C(0x0101010101010101) * (0xFFu << shift & 0xFFu);
    uint64_t x, y;

    memcpy(&x, at, sizeof(x));
    memcpy(&y, at + next, sizeof(y));
    if (high_first)
        return (x << shift & high) | (y >> rest & ~high);
    return x >> shift | y << rest;
}

/* Callers pass the format and the order as constants. */
INLINE void copy_words(const unsigned char *from, unsigned char *to,
                       size_t words, struct bit_transfer t)
{
    for (size_t i = 0; i < words; i++) {
        size_t source = t.reverse ? words - 1 - i : i;
        uint64_t x = load_bits(from + 8 * source, t.shift, t.format.high_first);

        if (t.reverse)
            x = __builtin_bswap64(reverse_elements(x, t.format.bits));
        memcpy(to + 8 * i, &x, sizeof(x));
    }
}

INLINE void copy_ordered_words(const unsigned char *from, unsigned char *to,
                               size_t words, const struct bit_transfer *t,
                               bool high_first)
{
    const unsigned bits = t->format.bits, shift = t->shift;

    if (!t->reverse)
        copy_words(from, to, words,
                   (struct bit_transfer){{1, high_first}, false, shift});
    else if (bits == 1)
        copy_words(from, to, words,
                   (struct bit_transfer){{1, high_first}, true, shift});
    else if (bits == 2)
        copy_words(from, to, words,
                   (struct bit_transfer){{2, high_first}, true, shift});
    else
        copy_words(from, to, words,
                   (struct bit_transfer){{4, high_first}, true, shift});
}

/* As kernel_table.copy_bits(). */
static inline void copy_bits(const unsigned char *from, unsigned char *to,
                             size_t words, const struct bit_transfer *t)
{
    if (t->format.high_first)
        copy_ordered_words(from, to, words, t, true);
    else
        copy_ordered_words(from, to, words, t, false);
}
