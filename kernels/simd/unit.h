/* The smallest pieces that are moved: units of 1, 2, 4, 8 and 16 bytes, at any
 * address. Sizes are to be constants where these are called, so that nothing
 * but loads and stores is left of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MOVE_UNIT_INLINE static inline __attribute__((always_inline))

struct move_unit_block {
    uint64_t lanes[2];
};

MOVE_UNIT_INLINE uint64_t move_unit_load(const unsigned char *at, size_t size)
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

MOVE_UNIT_INLINE void move_unit_store(unsigned char *at, uint64_t value,
                                      size_t size)
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

MOVE_UNIT_INLINE void move_unit_swap_block(unsigned char *restrict a,
                                           unsigned char *restrict b)
{
    struct move_unit_block x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    memcpy(a, &y, sizeof(y));
    memcpy(b, &x, sizeof(x));
}

MOVE_UNIT_INLINE void move_unit_copy_block(const unsigned char *restrict from,
                                           unsigned char *restrict to)
{
    struct move_unit_block x;

    memcpy(&x, from, sizeof(x));
    memcpy(to, &x, sizeof(x));
}

/* Exchanges 1, 2, 4, 8 or 16 bytes. */
MOVE_UNIT_INLINE void move_unit_swap(unsigned char *restrict a,
                                     unsigned char *restrict b, size_t size)
{
    uint64_t x, y;

    if (size == sizeof(struct move_unit_block)) {
        move_unit_swap_block(a, b);
        return;
    }
    x = move_unit_load(a, size);
    y = move_unit_load(b, size);
    move_unit_store(a, y, size);
    move_unit_store(b, x, size);
}

MOVE_UNIT_INLINE void move_unit_copy(const unsigned char *restrict from,
                                     unsigned char *restrict to, size_t size)
{
    if (size == sizeof(struct move_unit_block))
        move_unit_copy_block(from, to);
    else
        move_unit_store(to, move_unit_load(from, size), size);
}
