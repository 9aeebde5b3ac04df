/* The instructions of NEON that kernels/simd uses, in plain C from Arm's
 * description of each, for CBMC, which knows none. check.sh compares them with
 * the processor. */
#pragma once

#include <stdint.h>

typedef uint8_t uint8x16_t __attribute__((vector_size(16)));
typedef uint16_t uint16x8_t __attribute__((vector_size(16)));
typedef uint32_t uint32x4_t __attribute__((vector_size(16)));

/* An index of 16 or more makes a 0. */
static inline uint8x16_t vqtbl1q_u8(uint8x16_t from, uint8x16_t index)
{
    uint8x16_t v;

    for (int i = 0; i < 16; i++)
        v[i] = index[i] < 16 ? from[index[i] & 15] : 0;
    return v;
}

/* The order of the elements in each half. */
static inline uint8x16_t vrev64q_u8(uint8x16_t from)
{
    uint8x16_t v;

    for (int i = 0; i < 16; i++)
        v[i] = from[i ^ 7];
    return v;
}

static inline uint16x8_t vrev64q_u16(uint16x8_t from)
{
    uint16x8_t v;

    for (int i = 0; i < 8; i++)
        v[i] = from[i ^ 3];
    return v;
}

static inline uint32x4_t vrev64q_u32(uint32x4_t from)
{
    return (uint32x4_t){from[1], from[0], from[3], from[2]};
}

/* 16 bytes of the two vectors, from byte `start` of the first on. */
static inline uint8x16_t vextq_u8(uint8x16_t first, uint8x16_t second,
                                  int start)
{
    uint8x16_t v;

    for (int i = 0; i < 16; i++) {
        int at = start + i;

        v[i] = at < 16 ? first[at] : second[at - 16];
    }
    return v;
}
