/* How the columns of a line rise, as digits. Private to the files that are
 * compiled for AVX-512. */
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "kernels/simd/avx512/reverse_index.h"
#include "kernels/simd/kernel_table.h"

#define INLINE MOVE_UNIT_INLINE
#define UNROLL _Pragma("GCC unroll 32")

enum {
    LINE = 64,
    DIGIT = 16, /* what a digit counts to: as many rows as are handled */
    PASS = DIGIT * DIGIT,
    BITS = 4,
    DIGITS = 3,
    PART = 16, /* columns whose lengths are in a vector */
    PARTS = LINE / PART,
    WINDOW = 224, /* rows and a block more, which a byte can count */
};

struct rise {
    size_t rows;                  /* that move; at least a block */
    size_t apart;                 /* rows that the last digit stands for */
    __mmask64 bits[DIGITS][BITS]; /* of the digits, for 1, DIGIT and apart */
    __m512i lens[PARTS];          /* of the columns */
};

INLINE __m512i load_line(const unsigned char *at)
{
    return _mm512_loadu_si512((const void *)at);
}

INLINE void store_line(unsigned char *at, __m512i v)
{
    _mm512_storeu_si512((void *)at, v);
}

INLINE size_t parts_of(size_t size)
{
    return LINE / size < PART ? 1 : LINE / size / PART;
}

/* What the bytes of 16 columns each are, at every byte of their entries. */
INLINE __m512i spread(const __m128i *part, size_t size)
{
    const __m512i places = move_mirror_places();
    const int shift = size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0;
    __m512i all = _mm512_castsi128_si512(part[0]);
    __m512i column =
        _mm512_and_si512(_mm512_srl_epi16(places, _mm_cvtsi32_si128(shift)),
                         _mm512_set1_epi8((char)(63 >> shift)));

    if (parts_of(size) > 1)
        all = _mm512_inserti32x4(all, part[1], 1);
    if (parts_of(size) > 2) {
        all = _mm512_inserti32x4(all, part[2], 2);
        all = _mm512_inserti32x4(all, part[3], 3);
    }
    return _mm512_permutexvar_epi8(column, all);
}

/* The first `kept` columns get the length 0. */
INLINE void load_lens(struct rise *rise, const struct move_rise *line,
                      size_t size)
{
    const int64_t *lens = line->lens;
    const uint64_t moved = ~UINT64_C(0) << line->kept;

    UNROLL for (size_t i = 0; i < parts_of(size); i++, lens += PART)
    {
        __m256i low = _mm512_cvtepi64_epi32(_mm512_loadu_si512(lens)),
                high = low;

        if (size < 8)
            high = _mm512_cvtepi64_epi32(_mm512_loadu_si512(lens + PART / 2));
        rise->lens[i] = _mm512_maskz_mov_epi32(
            (__mmask16)(moved >> i * PART),
            _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
    }
}

INLINE size_t find_rows(const struct rise *rise, size_t size)
{
    __m512i most = rise->lens[0];

    UNROLL for (size_t i = 1; i < parts_of(size); i++) most =
        _mm512_max_epi32(most, rise->lens[i]);
    return (size_t)_mm512_reduce_max_epi32(
        _mm512_max_epi32(most, _mm512_set1_epi32(DIGIT)));
}

/* An odd number of blocks lies between rows that are handled together, so that
 * they do not share cache sets. */
INLINE size_t find_apart(size_t rows)
{
    size_t apart = (rows + PASS - 1) / PASS * DIGIT;

    return apart / DIGIT % 2 == 0 ? apart + DIGIT : apart;
}

INLINE void find_bits(const __m128i *digit, __mmask64 *bits, size_t size)
{
    __m512i all = spread(digit, size);

    UNROLL for (int i = 0; i < BITS; i++) bits[i] =
        _mm512_test_epi8_mask(all, _mm512_set1_epi8((char)(1 << i)));
}

/* Divides by multiplying: exact for as many rows as there can be. */
INLINE void find_digits(struct rise *rise, size_t size)
{
    const int apart = (int)rise->apart;
    const __m512i inverse = _mm512_set1_epi32((1 << 20) / apart + 1);
    const __m512i rows = _mm512_set1_epi32((int)rise->rows);
    __m128i digits[DIGITS][PARTS];

    UNROLL for (size_t i = 0; i < parts_of(size); i++)
    {
        __m512i n = _mm512_sub_epi32(rows, rise->lens[i]);
        __m512i far = _mm512_srli_epi32(_mm512_mullo_epi32(n, inverse), 20);
        __m512i near = _mm512_sub_epi32(
            n, _mm512_mullo_epi32(far, _mm512_set1_epi32(apart)));

        digits[0][i] = _mm512_cvtepi32_epi8(near);
        digits[1][i] = _mm512_cvtepi32_epi8(_mm512_srli_epi32(near, BITS));
        digits[2][i] = _mm512_cvtepi32_epi8(far);
    }
    UNROLL for (int i = 0; i < DIGITS; i++)
        find_bits(digits[i], rise->bits[i], size);
}

INLINE void find_rise(struct rise *rise, const struct move_rise *line,
                      size_t size)
{
    load_lens(rise, line, size);
    rise->rows = find_rows(rise, size);
    rise->apart = find_apart(rise->rows);
    find_digits(rise, size);
}

/* How many entries from row t on are reversed, up to 255, at every byte. */
INLINE __m512i find_left(const struct rise *rise, size_t t, size_t size)
{
    __m128i left[PARTS];

    UNROLL for (size_t i = 0; i < parts_of(size); i++)
    {
        __m512i n = _mm512_sub_epi32(rise->lens[i], _mm512_set1_epi32((int)t));

        left[i] =
            _mm512_cvtusepi32_epi8(_mm512_max_epi32(n, _mm512_setzero_si512()));
    }
    return spread(left, size);
}
