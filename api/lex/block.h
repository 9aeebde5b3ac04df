/* A block of 64 bytes as vectors of BLOCK_VECTOR bytes, which the compiler
 * compares byte by byte. The file of an instruction set defines BLOCK_VECTOR,
 * includes this header and then simd_functions.h. One that makes a bit of each
 * byte by instructions of its own defines BLOCK_HAS_MASK and brings
 * block_mask(). */
#pragma once

#include <stdint.h>
#include <string.h>

#include "api/lex/scan.h"

enum { BLOCK_VECTORS = 64 / BLOCK_VECTOR };

typedef uint8_t vector __attribute__((vector_size(BLOCK_VECTOR)));

struct block {
    vector parts[BLOCK_VECTORS];
};

static inline struct block block_load(const char *text)
{
    struct block b;

    /* Vector by vector: gcc would copy the whole in pieces through memory. */
    for (size_t i = 0; i < BLOCK_VECTORS; i++) {
        vector part;

        memcpy(&part, text + i * BLOCK_VECTOR, BLOCK_VECTOR);
        b.parts[i] = part;
    }
    return b;
}

/* A bit for each byte of `matches`, which is 0 or 255. */
static inline uint64_t block_mask(struct block matches);

#ifndef BLOCK_HAS_MASK
/* The multiplication moves the top bit of byte k to bit k, by 56 - 7 * k, and
 * no two of its sums meet. */
static inline uint64_t block_mask(struct block matches)
{
    char bytes[sizeof(matches)];
    uint64_t mask = 0;

    memcpy(bytes, &matches, sizeof(bytes));
    for (int i = 0; i < 8; i++) {
        uint64_t tops = scan_load(bytes + SCAN_BLOCK * i) & SCAN_TOPS;

        mask |= ((tops >> 7) * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
    return mask;
}
#endif

static inline vector vector_all(char byte)
{
    return (uint8_t)byte - (vector){0};
}

static inline uint64_t block_equal(struct block b, char byte)
{
    for (int i = 0; i < BLOCK_VECTORS; i++)
        b.parts[i] = (vector)(b.parts[i] == vector_all(byte));
    return block_mask(b);
}

static inline uint64_t block_digits(struct block b)
{
    for (int i = 0; i < BLOCK_VECTORS; i++)
        b.parts[i] = (vector)(b.parts[i] - vector_all('0') <= vector_all(9));
    return block_mask(b);
}

static inline uint64_t block_spaces(struct block b)
{
    for (int i = 0; i < BLOCK_VECTORS; i++) {
        vector part = b.parts[i];

        b.parts[i] =
            (vector)((part == vector_all(' ')) | (part == vector_all('\n')) |
                     ((part | vector_all(4)) == vector_all('\r')));
    }
    return block_mask(b);
}

static inline uint64_t block_blanks(struct block b)
{
    for (int i = 0; i < BLOCK_VECTORS; i++)
        b.parts[i] = (vector)(b.parts[i] <= vector_all(' '));
    return block_mask(b);
}
