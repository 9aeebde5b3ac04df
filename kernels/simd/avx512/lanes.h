/* Tiles of small elements in registers: rows of a line, 4 lanes of 16 bytes.
 * Element sizes are to be constants, then everything here is shuffles. */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/simd/unit.h"

#define INLINE MOVE_UNIT_INLINE
#define UNROLL _Pragma("GCC unroll 16")
#define UNROLL4 _Pragma("GCC unroll 4")

enum { LANE = 16, LANES = 4, LINE = 64 };

INLINE __m512i load_line(const unsigned char *at)
{
    return _mm512_loadu_si512((const void *)at);
}

INLINE void store_line(unsigned char *at, __m512i v)
{
    _mm512_storeu_si512((void *)at, v);
}

/* Elements of the first (second) halves of both lanes, in turn. */
INLINE __m512i first_halves(__m512i a, __m512i b, size_t size)
{
    if (size == 1)
        return _mm512_unpacklo_epi8(a, b);
    if (size == 2)
        return _mm512_unpacklo_epi16(a, b);
    return size == 4 ? _mm512_unpacklo_epi32(a, b)
                     : _mm512_unpacklo_epi64(a, b);
}

INLINE __m512i second_halves(__m512i a, __m512i b, size_t size)
{
    if (size == 1)
        return _mm512_unpackhi_epi8(a, b);
    if (size == 2)
        return _mm512_unpackhi_epi16(a, b);
    return size == 4 ? _mm512_unpackhi_epi32(a, b)
                     : _mm512_unpackhi_epi64(a, b);
}

/* Transposes n x n elements in each lane, n = LANE / size. An element's place
 * is (row, place in lane): joining rows i and i + n/2 element by element turns
 * these bits round by one; when half of them have gone round, the two have
 * changed. */
INLINE void turn_lanes(__m512i *v, size_t size)
{
    const size_t n = LANE / size;
    __m512i w[LANE];

    UNROLL for (size_t done = 1; done < n; done *= 2)
    {
        UNROLL for (size_t i = 0; i < n / 2; i++)
        {
            w[2 * i] = first_halves(v[i], v[i + n / 2], size);
            w[2 * i + 1] = second_halves(v[i], v[i + n / 2], size);
        }
        UNROLL for (size_t i = 0; i < n; i++) v[i] = w[i];
    }
}

/* Transposes the lanes of v[0], v[n], v[2 * n] and v[3 * n]. */
INLINE void cross_lanes(__m512i *v, size_t n)
{
    __m512i even = _mm512_shuffle_i32x4(v[0], v[n], 0x88);
    __m512i odd = _mm512_shuffle_i32x4(v[0], v[n], 0xdd);
    __m512i even2 = _mm512_shuffle_i32x4(v[2 * n], v[3 * n], 0x88);
    __m512i odd2 = _mm512_shuffle_i32x4(v[2 * n], v[3 * n], 0xdd);

    v[0] = _mm512_shuffle_i32x4(even, even2, 0x88);
    v[n] = _mm512_shuffle_i32x4(odd, odd2, 0x88);
    v[2 * n] = _mm512_shuffle_i32x4(even, even2, 0xdd);
    v[3 * n] = _mm512_shuffle_i32x4(odd, odd2, 0xdd);
}
