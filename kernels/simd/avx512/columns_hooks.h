/* AVX-512 forms of two functions of columns_template.h. Private to this folder;
 * to be included before the template. */
#pragma once

#include <immintrin.h>

#include "kernels/simd/column_args.h"
#include "kernels/simd/inline.h"

#define COLUMNS_HOOKS 1

/* Masked: a later load near the masked bytes of the store would wait for it,
 * but nothing reads the copy soon. */
INLINE void copy_17_to_32(const unsigned char *from, unsigned char *to,
                          size_t size)
{
    __mmask32 bytes = (__mmask32)(((uint64_t)1 << size) - 1);

    _mm256_mask_storeu_epi8(to, bytes, _mm256_maskz_loadu_epi8(bytes, from));
}

/* The number of columns in a mask. gcc 12 joins a comparison of vectors with
 * the extension of its mask to an int, but writes only the lowest byte; where
 * the mask was spilled, the other bytes are undefined. So the compiler must not
 * know that the mask is from a comparison. */
INLINE size_t count_columns(__mmask8 mask)
{
    __asm__("" : "+r"(mask));
    return (size_t)__builtin_popcount(mask);
}

/* See columns_template.h. Eight entries more may be written to both arrays. */
INLINE size_t find_partners(const struct ragged_columns *c,
                            const struct column_segment *s, size_t *offsets,
                            size_t *partners)
{
    const __m512i each = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i row = _mm512_set1_epi64((int64_t)s->row);
    const __m512i step = _mm512_set1_epi64((int64_t)c->from_step);
    const __m512i eight = _mm512_set1_epi64(8 * (int64_t)c->size);
    __m512i at = _mm512_mullox_epi64(
        _mm512_add_epi64(each, _mm512_set1_epi64((int64_t)s->first)),
        _mm512_set1_epi64((int64_t)c->size));
    size_t found = 0;

    for (size_t i = 0; i < s->count; i += 8) {
        __mmask8 valid = s->count - i < 8
                             ? (__mmask8)((1U << (s->count - i)) - 1)
                             : (__mmask8)0xFF;
        __m512i len = _mm512_maskz_loadu_epi64(valid, c->lens + s->first + i);
        __mmask8 moves =
            _mm512_cmplt_epi64_mask(row, _mm512_srli_epi64(len, 1));
        __m512i partner = _mm512_add_epi64(
            _mm512_mullox_epi64(
                _mm512_sub_epi64(_mm512_sub_epi64(len, _mm512_set1_epi64(1)),
                                 row),
                step),
            at);

        _mm512_storeu_si512(offsets + found,
                            _mm512_maskz_compress_epi64(moves, at));
        _mm512_storeu_si512(partners + found,
                            _mm512_maskz_compress_epi64(moves, partner));
        found += count_columns(moves);
        at = _mm512_add_epi64(at, eight);
    }
    return found;
}
