/* Vectors of 16 bytes in plain C, for every processor: the compiler makes the
 * best of them. Without vector_shuffle(): x86-64 has one from SSSE3 on. */
#pragma once

#define VECTOR_BYTES 16
#define VECTOR_SHUFFLES 0
#include "kernels/simd/vector.h"
#include "kernels/simd/vector_part.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Reverses the entries inside a word; bytes by the byte swap, which every
 * processor has. */
INLINE uint64_t vector_reverse_word(uint64_t x, size_t size)
{
    if (size == 8)
        return x;
    if (size == 4)
        return x << 32 | x >> 32;
    x = __builtin_bswap64(x);
    if (size == 2)
        x = (x >> 8 & 0x00FF00FF00FF00FF) | (x & 0x00FF00FF00FF00FF) << 8;
    return x;
}

/* Reverses the order of entries of `size` bytes: 1, 2, 4 or 8. */
INLINE vector vector_reverse(vector v, vector index, size_t size)
{
    vector_eights words = (vector_eights)v;

    (void)index;
    return (vector)(vector_eights){vector_reverse_word(words[1], size),
                                   vector_reverse_word(words[0], size)};
}

INLINE void vector_store_nontemporal(unsigned char *at, vector v)
{
#if defined(__SSE2__)
    _mm_stream_si128((void *)at, (__m128i)v);
#else
    vector_store(at, v);
#endif
}

INLINE void vector_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
