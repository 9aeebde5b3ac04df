#include <immintrin.h>

#include "kernels/simd/avx2/avx2.h"

enum { LINE = 64, WIDTH = 32 };

void avx2_nontemporal_copy(unsigned char *to, const unsigned char *from,
                           size_t bytes, const unsigned char *prefetch)
{
    for (size_t i = 0; i < bytes; i += LINE) {
        __m256i low = _mm256_loadu_si256((const void *)(from + i));
        __m256i high = _mm256_loadu_si256((const void *)(from + i + WIDTH));

        __builtin_prefetch(prefetch + i);
        _mm256_stream_si256((void *)(to + i), low);
        _mm256_stream_si256((void *)(to + i + WIDTH), high);
    }
}
