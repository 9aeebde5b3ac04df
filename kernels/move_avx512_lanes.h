/* Tiles of small elements in registers: rows of a line, 4 lanes of 16 bytes.
 * Element sizes are to be constants, then everything here is shuffles. */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/move_unit.h"

#define INLINE MOVE_UNIT_INLINE
#define UNROLL _Pragma("GCC unroll 16")

enum { LANE = 16, LANES = 4, LINE = 64 };

INLINE __m512i load_line(const unsigned char *at)
{
    return _mm512_loadu_si512((const void *)at);
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

/* How much of a column a tile holds, in groups of a lane: a line, or as much
 * as there are registers for. */
INLINE size_t groups_of(size_t size)
{
    return size == 1 ? 1 : size == 2 ? 2 : 4;
}

/* Puts down one column of each lane: a group of each of v[0], v[n] ... */
INLINE void store_columns(unsigned char *to, size_t apart, __m512i *v, size_t n,
                          size_t groups)
{
    if (groups == 4) {
        cross_lanes(v, n);
        UNROLL for (size_t l = 0; l < LANES; l++)
            _mm512_storeu_si512((void *)(to + l * apart), v[l * n]);
        return;
    }
    if (groups == 2) {
        __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
        __m512i a = _mm512_permutex2var_epi64(v[0], low, v[n]);
        __m512i b = _mm512_permutex2var_epi64(v[0], high, v[n]);

        _mm256_storeu_si256((void *)to, _mm512_castsi512_si256(a));
        _mm256_storeu_si256((void *)(to + apart),
                            _mm512_extracti64x4_epi64(a, 1));
        _mm256_storeu_si256((void *)(to + 2 * apart),
                            _mm512_castsi512_si256(b));
        _mm256_storeu_si256((void *)(to + 3 * apart),
                            _mm512_extracti64x4_epi64(b, 1));
        return;
    }
    _mm_storeu_si128((void *)to, _mm512_castsi512_si128(v[0]));
    _mm_storeu_si128((void *)(to + apart), _mm512_extracti32x4_epi32(v[0], 1));
    _mm_storeu_si128((void *)(to + 2 * apart),
                     _mm512_extracti32x4_epi32(v[0], 2));
    _mm_storeu_si128((void *)(to + 3 * apart),
                     _mm512_extracti32x4_epi32(v[0], 3));
}

INLINE __m128i load_lane(const unsigned char *at)
{
    return _mm_loadu_si128((const void *)at);
}

INLINE __m512i load_two(const unsigned char *a, const unsigned char *b)
{
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_loadu_si256((const void *)a)),
        _mm256_loadu_si256((const void *)b), 1);
}

/* The reverse of store_columns(), for columns that lie anywhere: those at
 * places at[0], at[n] ... */
INLINE void load_columns(const unsigned char *from, const uint32_t *at,
                         __m512i *v, size_t n, size_t groups)
{
    if (groups == 4) {
        UNROLL for (size_t l = 0; l < LANES; l++) v[l * n] =
            load_line(from + at[l * n]);
        cross_lanes(v, n);
    } else if (groups == 2) {
        __m512i a = load_two(from + at[0], from + at[n]);
        __m512i b = load_two(from + at[2 * n], from + at[3 * n]);

        v[0] = _mm512_shuffle_i32x4(a, b, 0x88);
        v[n] = _mm512_shuffle_i32x4(a, b, 0xdd);
    } else {
        v[0] = _mm512_castsi128_si512(load_lane(from + at[0]));
        v[0] = _mm512_inserti32x4(v[0], load_lane(from + at[n]), 1);
        v[0] = _mm512_inserti32x4(v[0], load_lane(from + at[2 * n]), 2);
        v[0] = _mm512_inserti32x4(v[0], load_lane(from + at[3 * n]), 3);
    }
}
