/* Vectors of 64 bytes: AVX-512 with BW and VBMI. */
#include <immintrin.h>

#define KERNEL_TABLE kernel_table_avx512
#define VECTOR_BYTES 64
#define VECTOR_SHUFFLES 1
#include "kernels/simd/vector.h"

INLINE vector vector_shuffle(vector v, vector index)
{
    return (vector)_mm512_permutexvar_epi8((__m512i)index, (__m512i)v);
}

/* Reverses the order of entries of `size` bytes, 1 to 32. */
INLINE vector vector_reverse(vector v, vector index, size_t size)
{
    (void)size;
    return vector_shuffle(v, index);
}

/* The first `bytes` bytes of a vector. */
INLINE __mmask64 vector_mask(size_t bytes)
{
    return bytes < 64 ? ((__mmask64)1 << bytes) - 1 : ~(__mmask64)0;
}

INLINE vector vector_load_part(const unsigned char *at, size_t bytes)
{
    return (vector)_mm512_maskz_loadu_epi8(vector_mask(bytes), at);
}

INLINE void vector_store_part(unsigned char *at, vector v, size_t bytes)
{
    _mm512_mask_storeu_epi8(at, vector_mask(bytes), (__m512i)v);
}

INLINE void vector_store_nontemporal(unsigned char *at, vector v)
{
    _mm512_stream_si512((void *)at, (__m512i)v);
}

/* Lane i is loaded from at + i * step. */
INLINE vector vector_load_lanes(const unsigned char *at, size_t step)
{
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)at));

    v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(at + step)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(at + 2 * step)),
                           2);
    return (vector)_mm512_inserti32x4(
        v, _mm_loadu_si128((const void *)(at + 3 * step)), 3);
}

#include "kernels/simd/table.h"
