/* The lesser and the greater of two numbers. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline int64_t min_int64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_int64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
