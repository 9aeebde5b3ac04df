/* Vectors of packed elements: shifted and reversed by a multiplication with bit
 * matrices (GF2P8AFFINEQB). Private to this folder. */
#pragma once

#include <stdbool.h>

#include "kernels/simd/avx512/vector.h"
#include "kernels/simd/bit_transfer.h"

enum { WIDTH = VECTOR_BYTES };

/* The matrix that leaves a byte as it is. Row i of a matrix, its byte i,
 * selects the source of bit 7 - i. Shifting a matrix by a byte shifts the bits
 * of its result by one, in the opposite direction. */
#define GF2_IDENTITY UINT64_C(0x0102040810204080)

INLINE uint64_t matrix_shift_up(unsigned shift)
{
    return shift < 8 ? GF2_IDENTITY >> shift * 8 : 0;
}

INLINE uint64_t matrix_shift_down(unsigned shift)
{
    return shift < 8 ? GF2_IDENTITY << shift * 8 : 0;
}

/* Adds the reversal of the elements of a byte to a matrix: the rows of whole
 * elements are exchanged. */
INLINE uint64_t matrix_reverse(uint64_t m, const struct bit_transfer *t)
{
    if (!t->reverse)
        return m;
    m = m >> 32 | m << 32;
    if (t->format.bits < 4)
        m = (m >> 16 & 0x0000FFFF0000FFFF) | (m & 0x0000FFFF0000FFFF) << 16;
    if (t->format.bits < 2)
        m = (m >> 8 & 0x00FF00FF00FF00FF) | (m & 0x00FF00FF00FF00FF) << 8;
    return m;
}

/* A transfer of vectors: the matrix of the byte in which a target byte starts,
 * the matrix of the byte after it, and the order of the target bytes. */
struct bit_maps {
    __m512i matrix_lo, matrix_hi, index;
};

INLINE struct bit_maps bit_maps_of(const struct bit_transfer *t)
{
    unsigned shift = t->shift;
    bool up = t->format.high_first;
    uint64_t lo = up ? matrix_shift_up(shift) : matrix_shift_down(shift);
    uint64_t hi =
        up ? matrix_shift_down(8 - shift) : matrix_shift_up(8 - shift);

    return (struct bit_maps){
        _mm512_set1_epi64((long long)matrix_reverse(lo, t)),
        _mm512_set1_epi64((long long)matrix_reverse(hi, t)),
        t->reverse ? vector_countdown() : vector_count(),
    };
}

/* As bit_maps_of() for a reverse transfer with a shift of 1 to 8 bits, made
 * from the maps without a shift. Elements are moved as a whole: a shift before
 * the reversal equals a shift in the opposite direction after it. No branch
 * depends on the shift. */
INLINE struct bit_maps bit_maps_shifted(const struct bit_maps *whole,
                                        const struct bit_transfer *t)
{
    const __m128i byte = _mm_cvtsi32_si128(8);
    __m128i more = _mm_cvtsi32_si128((int)(t->shift - 1) * 8);
    __m128i rest = _mm_cvtsi32_si128((int)(8 - t->shift) * 8);
    __m512i x = whole->matrix_lo;

    if (t->format.high_first)
        return (struct bit_maps){
            _mm512_sll_epi64(_mm512_sll_epi64(x, byte), more),
            _mm512_srl_epi64(x, rest), whole->index};
    return (struct bit_maps){_mm512_srl_epi64(_mm512_srl_epi64(x, byte), more),
                             _mm512_sll_epi64(x, rest), whole->index};
}

/* Combines each byte of x with the byte after it, in y. */
INLINE __m512i bit_maps_combine(__m512i x, __m512i y, const struct bit_maps *m)
{
    return _mm512_or_si512(_mm512_gf2p8affine_epi64_epi8(x, m->matrix_lo, 0),
                           _mm512_gf2p8affine_epi64_epi8(y, m->matrix_hi, 0));
}

/* Transfers a vector. y matters only if `shifted`. */
INLINE __m512i bit_maps_apply(__m512i x, __m512i y, const struct bit_maps *m,
                              bool shifted)
{
    x = shifted ? bit_maps_combine(x, y, m)
                : _mm512_gf2p8affine_epi64_epi8(x, m->matrix_lo, 0);
    return _mm512_permutexvar_epi8(m->index, x);
}

/* The reversed part of a sequence of packed elements. It starts with a byte and
 * has `bytes` whole bytes and 1 to 8 bits more, transfer.shift. */
struct bits_head {
    size_t bytes;
    struct bit_transfer transfer;
};

/* The first `len` elements. Length 0 is treated as 1: both change nothing. */
INLINE struct bits_head bits_head_of(const struct element_format *format,
                                     size_t len)
{
    size_t bits = (len > 0 ? len : 1) * format->bits - 1;

    return (struct bits_head){bits / 8,
                              {*format, true, (unsigned)(bits % 8) + 1}};
}

/* The result's byte after the whole bytes: the part that belongs to the head
 * gets the first elements of the first byte, the rest stays. */
INLINE unsigned char bits_head_last_byte(const unsigned char *from,
                                         const struct bits_head *head,
                                         const struct bit_maps *m)
{
    unsigned keep = 8 - head->transfer.shift;
    unsigned mask =
        head->transfer.format.high_first ? 0xFFu << keep : 0xFFu >> keep;
    __m128i first = _mm_gf2p8affine_epi64_epi8(
        _mm_cvtsi32_si128(*from), _mm512_castsi512_si128(m->matrix_hi), 0);

    return (unsigned char)((from[head->bytes] & ~mask) |
                           (unsigned)_mm_cvtsi128_si32(first));
}
