/* The reverse order of short rows in a vector of 64 bytes. Private to the files
 * that are compiled for AVX-512. */
#pragma once

#include <immintrin.h>
#include <stddef.h>

#include "kernels/simd/unit.h"

/* As many whole rows as go into a vector. */
struct move_mirror {
    size_t bytes;  /* of these rows: 33 to 64 */
    __m512i last;  /* which bytes reverse the rows that end a vector */
    __m512i first; /* and those that it starts with */
};

/* Bytes i .. i + 31 of the order of the last rows. In a row q of the result is
 * the row q from the end. */
MOVE_UNIT_INLINE __m256i move_mirror_half(__m512i i, size_t size)
{
    short inverse = (short)(65536 / size + (size > 1));
    __m512i q =
        size == 1 ? i : _mm512_mulhi_epu16(i, _mm512_set1_epi16(inverse));
    __m512i back = _mm512_mullo_epi16(q, _mm512_set1_epi16((short)(2 * size)));
    __m512i start = _mm512_set1_epi16((short)(64 - size));

    return _mm512_cvtepi16_epi8(
        _mm512_sub_epi16(_mm512_add_epi16(i, start), back));
}

/* Rows of `size` bytes, 1 to 64. */
MOVE_UNIT_INLINE struct move_mirror move_mirror_of(size_t size)
{
    const __m512i low = _mm512_cvtepi8_epi16(_mm256_set_epi8(
        31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,
        13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(32));
    struct move_mirror mirror = {.bytes = 64 / size * size};

    mirror.last =
        _mm512_inserti64x4(_mm512_castsi256_si512(move_mirror_half(low, size)),
                           move_mirror_half(high, size), 1);
    mirror.first = _mm512_sub_epi8(mirror.last,
                                   _mm512_set1_epi8((char)(64 - mirror.bytes)));
    return mirror;
}

/* Byte i is i. */
MOVE_UNIT_INLINE __m512i move_mirror_places(void)
{
    return _mm512_xor_si512(move_mirror_of(1).last, _mm512_set1_epi8(63));
}

/* The first `bytes` bytes of a vector; all from 64 on. */
MOVE_UNIT_INLINE __mmask64 move_mirror_mask(size_t bytes)
{
    return bytes < 64 ? ((__mmask64)1 << bytes) - 1 : ~(__mmask64)0;
}

MOVE_UNIT_INLINE __m512i move_mirror_load(const unsigned char *at)
{
    return _mm512_loadu_si512((const void *)at);
}

MOVE_UNIT_INLINE void move_mirror_store(unsigned char *at, __m512i value)
{
    _mm512_storeu_si512((void *)at, value);
}
