/* Copies past the caches: for results so large that they would only evict
 * everything else. */
#pragma once

#include <stddef.h>

#include "kernels/simd/kernel_table.h"

/* Results of this many bytes are written past the caches: from about a third of
 * a third level cache on. With a larger result, regular stores evict the
 * source; measured, at a quarter of the cache regular stores still win. */
enum { NONTEMPORAL_BYTES = 12 << 20 };

/* Copies; the two do not overlap. Whole cache lines go past the caches, the
 * bytes at both ends of `to` are copied as usual. */
void nontemporal_copy(const struct kernel_table *kernels, unsigned char *to,
                      const unsigned char *from, size_t bytes);

/* Must be called after nontemporal stores, before another thread may read the
 * result. */
void nontemporal_fence(void);
