/* Vectors of 32 bytes: AVX2. */
#include <immintrin.h>

#define KERNEL_TABLE kernel_table_avx2
#define VECTOR_BYTES 32
#define VECTOR_SHUFFLES 1
#include "kernels/simd/vector.h"

INLINE vector vector_swap_lanes(vector v)
{
    return (vector)_mm256_permute2x128_si256((__m256i)v, (__m256i)v, 1);
}

/* The processor shuffles within lanes; an index byte of 128 or more makes a 0.
 * So bytes from the same lane and bytes from the other one are found apart. */
INLINE vector vector_shuffle(vector v, vector index)
{
    vector other = (index ^ vector_count()) & 16; /* 16 for the other lane */
    vector here = (index & 15) | (other + 0x70);
    vector there = (index & 15) | (0x80 - other);

    return (vector)(_mm256_shuffle_epi8((__m256i)v, (__m256i)here) |
                    _mm256_shuffle_epi8((__m256i)vector_swap_lanes(v),
                                        (__m256i)there));
}

/* Reverses the order of entries of `size` bytes, 1 to 16: all bytes come from
 * the other lane. */
INLINE vector vector_reverse(vector v, vector index, size_t size)
{
    (void)size;
    return (vector)_mm256_shuffle_epi8((__m256i)vector_swap_lanes(v),
                                       (__m256i)index);
}

INLINE vector vector_load_part(const unsigned char *at, size_t bytes)
{
    vector_eights v = {0};
    struct vector_words words;
    __m128i low;

    if (bytes < 16) {
        words = vector_load_words(at, bytes);
        v[0] = words.low;
        v[1] = words.high;
        return (vector)v;
    }
    low = _mm_loadu_si128((const void *)at);
    words = vector_load_words(at + 16, bytes - 16);
    return (vector)_mm256_inserti128_si256(
        _mm256_castsi128_si256(low),
        _mm_set_epi64x((long long)words.high, (long long)words.low), 1);
}

INLINE void vector_store_part(unsigned char *at, vector v, size_t bytes)
{
    vector_eights words;

    if (bytes >= 16) {
        _mm_storeu_si128((void *)at, _mm256_castsi256_si128((__m256i)v));
        v = vector_swap_lanes(v);
        at += 16;
        bytes -= 16;
    }
    words = (vector_eights)v;
    vector_store_words(at, (struct vector_words){words[0], words[1]}, bytes);
}

/* Lane i is loaded from at + i * step. */
INLINE vector vector_load_lanes(const unsigned char *at, size_t step)
{
    return (vector)_mm256_loadu2_m128i((const void *)(at + step),
                                       (const void *)at);
}

#include "kernels/simd/table.h"
