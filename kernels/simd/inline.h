/* Inlining for loops that are written once for a size and called with that size
 * as a constant: the compiler then unrolls and vectorises each call. */
#pragma once

#define INLINE static inline __attribute__((always_inline))
