#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/vector_64.h"

/* One store a cache line, so that the line need not be assembled of parts. */
void avx512_nontemporal_copy(unsigned char *to, const unsigned char *from,
                             size_t bytes, const unsigned char *prefetch)
{
    for (size_t i = 0; i < bytes; i += VECTOR_BYTES) {
        __builtin_prefetch(prefetch + i);
        vector_store_nontemporal(to + i, vector_load(from + i));
    }
}
