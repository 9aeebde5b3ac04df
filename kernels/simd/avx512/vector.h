/* Vectors of 64 bytes: unaligned loads and stores, masks, indexes of bytes.
 * Private to this folder. */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/simd/inline.h"

enum { VECTOR_BYTES = 64 };

INLINE __m512i vector_load(const unsigned char *at)
{
    return _mm512_loadu_si512((const void *)at);
}

INLINE void vector_store(unsigned char *at, __m512i value)
{
    _mm512_storeu_si512((void *)at, value);
}

/* The first `bytes` bytes of a vector; all of them from 64 on. */
INLINE __mmask64 vector_mask(size_t bytes)
{
    return bytes < 64 ? ((__mmask64)1 << bytes) - 1 : ~(__mmask64)0;
}

/* Byte i is 63 - i. */
INLINE __m512i vector_countdown(void)
{
    const __m256i low = _mm256_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                        12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                        22, 23, 24, 25, 26, 27, 28, 29, 30, 31);

    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_or_si256(low, _mm256_set1_epi8(32))), low,
        1);
}

/* Byte i is i. */
INLINE __m512i vector_count(void)
{
    return _mm512_xor_si512(vector_countdown(), _mm512_set1_epi8(63));
}
