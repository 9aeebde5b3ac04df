/* How far each column is shifted, as digits of a mixed-radix number. Private to
 * column_shift.c. */
#pragma once

#include "kernels/simd/avx512/vector.h"
#include "kernels/simd/column_args.h"

#define UNROLL _Pragma("GCC unroll 32")

enum {
    LINE = 64,
    RADIX = 16, /* of a digit: as many rows are shifted at a time */
    PASS = RADIX * RADIX,
    BITS = 4, /* of a digit */
    DIGITS = 3,
    GROUP = 16, /* columns whose lengths fit into a vector */
    GROUPS = LINE / GROUP,
    WINDOW = 224, /* rows that a byte can count, less a block */
};

/* The shift of a column is digit 0 + RADIX * digit 1 + stride * digit 2. */
struct column_digits {
    size_t rows;                  /* that move; at least a block */
    size_t stride;                /* rows that one of digit 2 stands for */
    __mmask64 bits[DIGITS][BITS]; /* for each bit of a digit: columns with it */
    __m512i lens[GROUPS];         /* of the columns */
};

INLINE size_t groups_of(size_t size)
{
    return LINE / size < GROUP ? 1 : LINE / size / GROUP;
}

/* Repeats a byte for each column at every byte of the column's entries; a group
 * has the bytes of 16 columns. */
INLINE __m512i spread(const __m128i *group, size_t size)
{
    const __m512i count = vector_count();
    const int shift = size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0;
    __m512i all = _mm512_castsi128_si512(group[0]);
    __m512i column =
        _mm512_and_si512(_mm512_srl_epi16(count, _mm_cvtsi32_si128(shift)),
                         _mm512_set1_epi8((char)(63 >> shift)));

    if (groups_of(size) > 1)
        all = _mm512_inserti32x4(all, group[1], 1);
    if (groups_of(size) > 2) {
        all = _mm512_inserti32x4(all, group[2], 2);
        all = _mm512_inserti32x4(all, group[3], 3);
    }
    return _mm512_permutexvar_epi8(column, all);
}

/* The first `kept` columns get the length 0. */
INLINE void load_lens(struct column_digits *d, const struct column_shift *c,
                      size_t size)
{
    const int64_t *lens = c->lens;
    const uint64_t moved = ~UINT64_C(0) << c->kept;

    UNROLL for (size_t i = 0; i < groups_of(size); i++, lens += GROUP)
    {
        __m256i low = _mm512_cvtepi64_epi32(_mm512_loadu_si512(lens)),
                high = low;

        if (size < 8)
            high = _mm512_cvtepi64_epi32(_mm512_loadu_si512(lens + GROUP / 2));
        d->lens[i] = _mm512_maskz_mov_epi32(
            (__mmask16)(moved >> i * GROUP),
            _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
    }
}

INLINE size_t longest_length(const struct column_digits *d, size_t size)
{
    __m512i most = d->lens[0];

    UNROLL for (size_t i = 1; i < groups_of(size); i++) most =
        _mm512_max_epi32(most, d->lens[i]);
    return (size_t)_mm512_reduce_max_epi32(
        _mm512_max_epi32(most, _mm512_set1_epi32(RADIX)));
}

/* A multiple of RADIX rows. An odd multiple, so that rows that are shifted
 * together do not share cache sets. */
INLINE size_t stride_of(size_t rows)
{
    size_t stride = (rows + PASS - 1) / PASS * RADIX;

    return stride / RADIX % 2 == 0 ? stride + RADIX : stride;
}

INLINE void find_bits(const __m128i *digit, __mmask64 *bits, size_t size)
{
    __m512i all = spread(digit, size);

    UNROLL for (int i = 0; i < BITS; i++) bits[i] =
        _mm512_test_epi8_mask(all, _mm512_set1_epi8((char)(1 << i)));
}

/* The division by the stride is a multiplication, which is exact for up to
 * COLUMN_SHIFT_MAX_ROWS. */
INLINE void find_digits(struct column_digits *d, size_t size)
{
    const int stride = (int)d->stride;
    const __m512i inverse = _mm512_set1_epi32((1 << 20) / stride + 1);
    const __m512i rows = _mm512_set1_epi32((int)d->rows);
    __m128i digits[DIGITS][GROUPS];

    UNROLL for (size_t i = 0; i < groups_of(size); i++)
    {
        __m512i n = _mm512_sub_epi32(rows, d->lens[i]);
        __m512i high = _mm512_srli_epi32(_mm512_mullo_epi32(n, inverse), 20);
        __m512i low = _mm512_sub_epi32(
            n, _mm512_mullo_epi32(high, _mm512_set1_epi32(stride)));

        digits[0][i] = _mm512_cvtepi32_epi8(low);
        digits[1][i] = _mm512_cvtepi32_epi8(_mm512_srli_epi32(low, BITS));
        digits[2][i] = _mm512_cvtepi32_epi8(high);
    }
    UNROLL for (int i = 0; i < DIGITS; i++)
        find_bits(digits[i], d->bits[i], size);
}

INLINE void column_digits_init(struct column_digits *d,
                               const struct column_shift *c, size_t size)
{
    load_lens(d, c, size);
    d->rows = longest_length(d, size);
    d->stride = stride_of(d->rows);
    find_digits(d, size);
}

/* At every byte: how many entries of its column are reversed from row t on, up
 * to 255. */
INLINE __m512i column_digits_left(const struct column_digits *d, size_t t,
                                  size_t size)
{
    __m128i left[GROUPS];

    UNROLL for (size_t i = 0; i < groups_of(size); i++)
    {
        __m512i n = _mm512_sub_epi32(d->lens[i], _mm512_set1_epi32((int)t));

        left[i] =
            _mm512_cvtusepi32_epi8(_mm512_max_epi32(n, _mm512_setzero_si512()));
    }
    return spread(left, size);
}
