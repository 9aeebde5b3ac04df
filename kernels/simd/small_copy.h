/* Loads and stores of 1, 2, 4, 8 and 16 bytes at any address. Callers pass the
 * size as a constant, so that each call becomes one instruction. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/simd/inline.h"

struct small_16 {
    uint64_t lanes[2];
};

INLINE uint64_t small_load(const unsigned char *at, size_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (size) {
    case 1:
        return *at;
    case 2:
        memcpy(&two, at, sizeof(two));
        return two;
    case 4:
        memcpy(&four, at, sizeof(four));
        return four;
    default:
        memcpy(&eight, at, sizeof(eight));
        return eight;
    }
}

INLINE void small_store(unsigned char *at, uint64_t value, size_t size)
{
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;

    switch (size) {
    case 1:
        *at = (unsigned char)value;
        break;
    case 2:
        memcpy(at, &two, sizeof(two));
        break;
    case 4:
        memcpy(at, &four, sizeof(four));
        break;
    default:
        memcpy(at, &value, sizeof(value));
    }
}

INLINE void small_swap_16(unsigned char *restrict a, unsigned char *restrict b)
{
    struct small_16 x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    memcpy(a, &y, sizeof(y));
    memcpy(b, &x, sizeof(x));
}

INLINE void small_copy_16(const unsigned char *restrict from,
                          unsigned char *restrict to)
{
    struct small_16 x;

    memcpy(&x, from, sizeof(x));
    memcpy(to, &x, sizeof(x));
}

/* Exchanges 1, 2, 4, 8 or 16 bytes. */
INLINE void small_swap(unsigned char *restrict a, unsigned char *restrict b,
                       size_t size)
{
    uint64_t x, y;

    if (size == sizeof(struct small_16)) {
        small_swap_16(a, b);
        return;
    }
    x = small_load(a, size);
    y = small_load(b, size);
    small_store(a, y, size);
    small_store(b, x, size);
}

INLINE void small_copy(const unsigned char *restrict from,
                       unsigned char *restrict to, size_t size)
{
    if (size == sizeof(struct small_16))
        small_copy_16(from, to);
    else
        small_store(to, small_load(from, size), size);
}
