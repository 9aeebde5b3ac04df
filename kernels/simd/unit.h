/* Loads and stores of 1, 2, 4, 8 and 16 bytes at any address. Callers pass the
 * size as a constant, so that each call becomes one instruction. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/simd/inline.h"

struct unit_16 {
    uint64_t lanes[2];
};

INLINE uint64_t unit_load(const unsigned char *at, size_t size)
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

INLINE void unit_store(unsigned char *at, uint64_t value, size_t size)
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

INLINE void unit_swap_16(unsigned char *restrict a, unsigned char *restrict b)
{
    struct unit_16 x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    memcpy(a, &y, sizeof(y));
    memcpy(b, &x, sizeof(x));
}

INLINE void unit_copy_16(const unsigned char *restrict from,
                         unsigned char *restrict to)
{
    struct unit_16 x;

    memcpy(&x, from, sizeof(x));
    memcpy(to, &x, sizeof(x));
}

/* Exchanges 1, 2, 4, 8 or 16 bytes. */
INLINE void unit_swap(unsigned char *restrict a, unsigned char *restrict b,
                      size_t size)
{
    uint64_t x, y;

    if (size == sizeof(struct unit_16)) {
        unit_swap_16(a, b);
        return;
    }
    x = unit_load(a, size);
    y = unit_load(b, size);
    unit_store(a, y, size);
    unit_store(b, x, size);
}

INLINE void unit_copy(const unsigned char *restrict from,
                      unsigned char *restrict to, size_t size)
{
    if (size == sizeof(struct unit_16))
        unit_copy_16(from, to);
    else
        unit_store(to, unit_load(from, size), size);
}
