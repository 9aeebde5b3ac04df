/* Copies past the caches: for results so large that they would only evict
 * everything else. */
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "kernels/simd/kernel_table.h"

/* Results of this many bytes are written past the caches: from about a third of
 * a third level cache on. With a larger result, regular stores evict the
 * source; measured, at a quarter of the cache regular stores still win. */
enum { NONTEMPORAL_BYTES = 12 << 20 };

static inline void nontemporal_copy(const struct kernel_table *kernels,
                                    unsigned char *to,
                                    const unsigned char *from, size_t bytes)
{
    kernels->rows.copy_nontemporal(to, from, bytes);
}

/* Must be called after nontemporal stores, before another thread may read the
 * result. */
static inline void nontemporal_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
