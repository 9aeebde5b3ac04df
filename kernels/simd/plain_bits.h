/* Packed elements in plain C, 64 bits at a time. Tables include these loops for
 * the bytes after the last whole vector; the generic table has no others. */
#pragma once

#include "kernels/simd/bit_transfer.h"
#include "kernels/simd/inline.h"
#include "kernels/simd/small_copy.h"

/* Reverses the elements inside each byte of a word. */
INLINE uint64_t reverse_elements(uint64_t x, unsigned bits)
{
    x = (x >> 4 & 0x0F0F0F0F0F0F0F0F) | (x & 0x0F0F0F0F0F0F0F0F) << 4;
    if (bits < 4)
        x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    if (bits < 2)
        x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    return x;
}

/* Loads the 64 bits that start `shift` bits inside the byte at `at`, moved to
 * the start of a byte. Reads the ninth byte only if there is a shift. */
INLINE uint64_t load_bits(const unsigned char *at, unsigned shift,
                          bool high_first)
{
    uint64_t x = small_load(at, 8);

    if (shift == 0)
        return x;
    if (!high_first)
        return x >> shift | (uint64_t)at[8] << (64 - shift);
    x = __builtin_bswap64(x);
    return __builtin_bswap64(x << shift | at[8] >> (8 - shift));
}

INLINE unsigned char load_byte(const unsigned char *at, unsigned shift,
                               bool high_first)
{
    if (shift == 0)
        return *at;
    if (high_first)
        return (unsigned char)(at[0] << shift | at[1] >> (8 - shift));
    return (unsigned char)(at[0] >> shift | at[1] << (8 - shift));
}

/* Callers pass the bits and the order inside a byte as constants. */
INLINE void plain_reverse_bits(const unsigned char *from, unsigned char *to,
                               size_t bytes, unsigned shift,
                               struct element_format format)
{
    size_t left = bytes;

    for (; left >= 8; left -= 8, to += 8)
        small_store(to,
                    __builtin_bswap64(reverse_elements(
                        load_bits(from + left - 8, shift, format.high_first),
                        format.bits)),
                    8);
    for (; left > 0; left--)
        *to++ = (unsigned char)reverse_elements(
            load_byte(from + left - 1, shift, format.high_first), format.bits);
}

INLINE void plain_forward_bits(const unsigned char *from, unsigned char *to,
                               size_t bytes, unsigned shift, bool high_first)
{
    size_t done = 0;

    for (; done + 8 <= bytes; done += 8)
        small_store(to + done, load_bits(from + done, shift, high_first), 8);
    for (; done < bytes; done++)
        to[done] = load_byte(from + done, shift, high_first);
}

INLINE void plain_copy_ordered_bits(const unsigned char *from,
                                    unsigned char *to, size_t bytes,
                                    const struct bit_transfer *t,
                                    bool high_first)
{
    const struct element_format ones = {1, high_first}, twos = {2, high_first},
                                fours = {4, high_first};

    if (!t->reverse)
        plain_forward_bits(from, to, bytes, t->shift, high_first);
    else if (t->format.bits == 1)
        plain_reverse_bits(from, to, bytes, t->shift, ones);
    else if (t->format.bits == 2)
        plain_reverse_bits(from, to, bytes, t->shift, twos);
    else
        plain_reverse_bits(from, to, bytes, t->shift, fours);
}

/* As bit_kernels.copy(). */
static inline void plain_copy_bits(const unsigned char *from, unsigned char *to,
                                   size_t bytes, const struct bit_transfer *t)
{
    if (t->format.high_first)
        plain_copy_ordered_bits(from, to, bytes, t, true);
    else
        plain_copy_ordered_bits(from, to, bytes, t, false);
}
