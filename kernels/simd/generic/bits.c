#include "kernels/move/bits_span.h"
#include "kernels/simd/generic/generic.h"
#include "kernels/simd/unit.h"

#define INLINE MOVE_UNIT_INLINE

/* The elements of each byte of a word in reverse order. */
INLINE uint64_t turn(uint64_t x, unsigned bits)
{
    x = (x >> 4 & 0x0F0F0F0F0F0F0F0F) | (x & 0x0F0F0F0F0F0F0F0F) << 4;
    if (bits < 4)
        x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    if (bits < 2)
        x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    return x;
}

/* The 64 bits that start inside the byte at `at`, as they would lie there if
 * they started with a byte. Only a shift looks at the byte behind them. */
INLINE uint64_t load(const unsigned char *at, unsigned shift, bool high_first)
{
    uint64_t x = move_unit_load(at, 8);

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

/* The number of bits and the order of a byte are constants. */
INLINE void reverse(const unsigned char *from, unsigned char *to, size_t bytes,
                    unsigned shift, unsigned bits, bool high_first)
{
    size_t left = bytes;

    for (; left >= 8; left -= 8, to += 8)
        move_unit_store(to,
                        __builtin_bswap64(turn(
                            load(from + left - 8, shift, high_first), bits)),
                        8);
    for (; left > 0; left--)
        *to++ = (unsigned char)turn(
            load_byte(from + left - 1, shift, high_first), bits);
}

INLINE void forward(const unsigned char *from, unsigned char *to, size_t bytes,
                    unsigned shift, bool high_first)
{
    size_t done = 0;

    for (; done + 8 <= bytes; done += 8)
        move_unit_store(to + done, load(from + done, shift, high_first), 8);
    for (; done < bytes; done++)
        to[done] = load_byte(from + done, shift, high_first);
}

INLINE void move(const unsigned char *from, unsigned char *to, size_t bytes,
                 const struct move_bits_way *way, bool high_first)
{
    if (!way->reverse)
        forward(from, to, bytes, way->shift, high_first);
    else if (way->packing.bits == 1)
        reverse(from, to, bytes, way->shift, 1, high_first);
    else if (way->packing.bits == 2)
        reverse(from, to, bytes, way->shift, 2, high_first);
    else
        reverse(from, to, bytes, way->shift, 4, high_first);
}

void move_bits_plain(const unsigned char *from, unsigned char *to, size_t bytes,
                     const struct move_bits_way *way)
{
    if (way->packing.high_first)
        move(from, to, bytes, way, true);
    else
        move(from, to, bytes, way, false);
}
