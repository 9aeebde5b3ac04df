/* The tiles of a panel, 64 bytes wide and high, and their transposition in
 * registers: a row of a tile is 4 lanes of 16 bytes. Callers pass element sizes
 * as constants, so that only shuffles are left of the loops. Private to
 * panel_load.c and panel_store.c. */
#pragma once

#include "kernels/simd/avx512/vector.h"
#include "kernels/simd/column_args.h"

#define UNROLL _Pragma("GCC unroll 16")
#define UNROLL4 _Pragma("GCC unroll 4")

enum { LANE = 16, LANES = 4, LINE = 64 };

/* Interleaves the elements of the first halves of each lane of a and b. */
INLINE __m512i interleave_low(__m512i a, __m512i b, size_t size)
{
    if (size == 1)
        return _mm512_unpacklo_epi8(a, b);
    if (size == 2)
        return _mm512_unpacklo_epi16(a, b);
    return size == 4 ? _mm512_unpacklo_epi32(a, b)
                     : _mm512_unpacklo_epi64(a, b);
}

/* The same of the second halves. */
INLINE __m512i interleave_high(__m512i a, __m512i b, size_t size)
{
    if (size == 1)
        return _mm512_unpackhi_epi8(a, b);
    if (size == 2)
        return _mm512_unpackhi_epi16(a, b);
    return size == 4 ? _mm512_unpackhi_epi32(a, b)
                     : _mm512_unpackhi_epi64(a, b);
}

/* Transposes n x n elements in each lane, n = LANE / size. An element has the
 * address (row, position in the lane), with equally many bits each.
 * Interleaving rows i and i + n/2 rotates these bits by one. After half of them
 * have rotated, row and position have changed roles. */
INLINE void transpose_in_lanes(__m512i *v, size_t size)
{
    const size_t n = LANE / size;
    __m512i w[LANE];

    UNROLL for (size_t done = 1; done < n; done *= 2)
    {
        UNROLL for (size_t i = 0; i < n / 2; i++)
        {
            w[2 * i] = interleave_low(v[i], v[i + n / 2], size);
            w[2 * i + 1] = interleave_high(v[i], v[i + n / 2], size);
        }
        UNROLL for (size_t i = 0; i < n; i++) v[i] = w[i];
    }
}

/* Transposes the lanes of v[0], v[n], v[2 * n] and v[3 * n], a 4 x 4 matrix. */
INLINE void transpose_lanes(__m512i *v, size_t n)
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

/* Rows of the panel from row g of the block on; may be negative. */
INLINE ptrdiff_t rows_from(const struct panel_block *b, size_t g)
{
    return (ptrdiff_t)(b->rows - b->row) - (ptrdiff_t)g;
}

/* The first column of the tile at column i. The last tile ends where the panel
 * ends, so it may overlap the tile before. */
INLINE size_t tile_at(size_t i, const struct panel_block *b, size_t size)
{
    size_t last = b->columns - LINE / size;

    return i < last ? i : last;
}
