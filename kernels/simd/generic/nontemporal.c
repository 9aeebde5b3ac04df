#include <stdint.h>
#include <string.h>

#include "kernels/simd/generic/generic.h"

#if defined(__SSE2__)
#include <emmintrin.h>

enum { LINE = 64 };

void generic_nontemporal_copy(unsigned char *to, const unsigned char *from,
                              size_t bytes, const unsigned char *prefetch)
{
    for (size_t i = 0; i < bytes; i += LINE) {
        __builtin_prefetch(prefetch + i);
        for (size_t j = i; j < i + LINE; j += 16)
            _mm_stream_si128((void *)(to + j),
                             _mm_loadu_si128((const void *)(from + j)));
    }
}
#else
void generic_nontemporal_copy(unsigned char *to, const unsigned char *from,
                              size_t bytes, const unsigned char *prefetch)
{
    (void)prefetch;
    memcpy(to, from, bytes);
}
#endif
