/* The parts of move_tile.h that AVX-512 has a way of its own for; included
 * there. */
#pragma once

#include <immintrin.h>

/* An entry of 17 to 32 bytes, which nothing reads soon: a load near what is
 * masked of a store would wait for it. */
INLINE void copy_sixteens(const unsigned char *from, unsigned char *to,
                          size_t size)
{
    __mmask32 bytes = (__mmask32)(((uint64_t)1 << size) - 1);

    _mm256_mask_storeu_epi8(to, bytes, _mm256_maskz_loadu_epi8(bytes, from));
}

/* Columns of a mask. gcc 12 joins a comparison of vectors with the extension of
 * its mask to an int, but writes the lowest byte of that only: where it was
 * spilled, the others are what lay there. It must not see the comparison. */
INLINE size_t columns_in(__mmask8 mask)
{
    __asm__("" : "+r"(mask));
    return (size_t)__builtin_popcount(mask);
}

/* The columns that are long enough for the row to be in their first half, and
 * where they have the mirrored entry. Eight columns more may be written. */
INLINE size_t find_mirrors(const struct move_tile *t, size_t row, size_t first,
                           size_t count, size_t *places, size_t *mirrors)
{
    const __m512i each = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i at_row = _mm512_set1_epi64((int64_t)row);
    const __m512i step = _mm512_set1_epi64((int64_t)t->from_step);
    const __m512i eight = _mm512_set1_epi64(8 * (int64_t)t->size);
    __m512i at = _mm512_mullox_epi64(
        _mm512_add_epi64(each, _mm512_set1_epi64((int64_t)first)),
        _mm512_set1_epi64((int64_t)t->size));
    size_t found = 0;

    for (size_t i = 0; i < count; i += 8) {
        __mmask8 here = count - i < 8 ? (__mmask8)((1U << (count - i)) - 1)
                                      : (__mmask8)0xFF;
        __m512i len = _mm512_maskz_loadu_epi64(here, t->lens + first + i);
        __mmask8 moves =
            _mm512_cmplt_epi64_mask(at_row, _mm512_srli_epi64(len, 1));
        __m512i mirror = _mm512_add_epi64(
            _mm512_mullox_epi64(
                _mm512_sub_epi64(_mm512_sub_epi64(len, _mm512_set1_epi64(1)),
                                 at_row),
                step),
            at);

        _mm512_storeu_si512(places + found,
                            _mm512_maskz_compress_epi64(moves, at));
        _mm512_storeu_si512(mirrors + found,
                            _mm512_maskz_compress_epi64(moves, mirror));
        found += columns_in(moves);
        at = _mm512_add_epi64(at, eight);
    }
    return found;
}
