/* The lesser and the greater of two numbers; of sizes: kernels/core/size.h. Any
 * thread. */
#pragma once

#include <stdint.h>

static inline int64_t min_int64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_int64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
