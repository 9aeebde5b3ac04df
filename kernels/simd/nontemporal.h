/* Ends a series of nontemporal stores. */
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Must be called after nontemporal stores, before another thread may read the
 * result. */
static inline void nontemporal_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
