/* Indexes that reverse the order of short rows in a vector of 64 bytes. Private
 * to this folder. */
#pragma once

#include "kernels/simd/avx512/vector.h"

/* For as many whole rows as fit into a vector. */
struct reverse_index {
    size_t bytes;  /* of these rows: 33 to 64 */
    __m512i last;  /* reverses the rows at the end of a vector */
    __m512i first; /* reverses the rows at its start */
};

/* Bytes i .. i + 31 of `last`. Row q of the result is the row q from the end;
 * the quotient q = i / size is a multiplication. */
INLINE __m256i reverse_index_half(__m512i i, size_t size)
{
    short inverse = (short)(65536 / size + (size > 1));
    __m512i q =
        size == 1 ? i : _mm512_mulhi_epu16(i, _mm512_set1_epi16(inverse));
    __m512i back = _mm512_mullo_epi16(q, _mm512_set1_epi16((short)(2 * size)));
    __m512i start = _mm512_set1_epi16((short)(64 - size));

    return _mm512_cvtepi16_epi8(
        _mm512_sub_epi16(_mm512_add_epi16(i, start), back));
}

/* For rows of `size` bytes, 1 to 64. */
INLINE struct reverse_index reverse_index_of(size_t size)
{
    const __m512i low = _mm512_cvtepi8_epi16(_mm256_set_epi8(
        31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,
        13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(32));
    struct reverse_index index = {.bytes = 64 / size * size};

    index.last = _mm512_inserti64x4(
        _mm512_castsi256_si512(reverse_index_half(low, size)),
        reverse_index_half(high, size), 1);
    index.first =
        _mm512_sub_epi8(index.last, _mm512_set1_epi8((char)(64 - index.bytes)));
    return index;
}

/* Reverses the first `bytes` bytes of a vector, which are whole rows. */
INLINE __m512i reverse_index_of_rest(const struct reverse_index *index,
                                     size_t bytes)
{
    return _mm512_sub_epi8(index->last, _mm512_set1_epi8((char)(64 - bytes)));
}
