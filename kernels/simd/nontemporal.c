#include "kernels/simd/nontemporal.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { LINE = 64 };

void nontemporal_copy(const struct kernel_table *kernels, unsigned char *to,
                      const unsigned char *from, size_t bytes)
{
    size_t head = -(uintptr_t)to % LINE;
    size_t whole;

    if (head > bytes)
        head = bytes;
    whole = (bytes - head) / LINE * LINE;
    memcpy(to, from, head);
    kernels->rows.copy_nontemporal(to + head, from + head, whole, from + head);
    head += whole;
    memcpy(to + head, from + head, bytes - head);
}

void nontemporal_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
