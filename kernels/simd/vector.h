/* One vector of VECTOR_BYTES bytes: the operations that are the same for every
 * instruction set. A vector header (vector_16.h, vector_32.h, vector_64.h or
 * vector_neon.h) defines VECTOR_BYTES, includes this and adds those that are
 * not:
 *
 *   vector_shuffle           byte i becomes byte index[i] of the vector; only
 *                            where VECTOR_SHUFFLES is 1
 *   vector_reverse           reverses the order of all entries of a vector
 *   vector_store_nontemporal stores past the caches, at a multiple of
 *                            VECTOR_BYTES; only for vectors of a cache line
 *   vector_load_part         loads or stores the first `bytes` bytes, 0 to
 *   vector_store_part        VECTOR_BYTES; no byte beside them is accessed
 *   vector_join              the first `bytes` bytes of one vector, the others
 *                            of another
 *   vector_load_lanes        loads each lane of 16 bytes at its own address
 *
 * The source file of a table includes one of these headers, then table.h with
 * the loops (rows.h, reverse.h and so on), which are written against it. The
 * sums, differences and comparisons of vectors are the compiler's, byte by
 * byte. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/simd/inline.h"

/* A lane has 16 bytes. */
enum { VECTOR_LANES = VECTOR_BYTES / 16 };

/* A vector, and the same as numbers of each size. */
typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t vector_twos __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t vector_fours __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t vector_eights __attribute__((vector_size(VECTOR_BYTES)));

/* Loads and stores at any address. */
INLINE vector vector_load(const unsigned char *at)
{
    vector v;

    memcpy(&v, at, sizeof(v));
    return v;
}

INLINE void vector_store(unsigned char *at, vector v)
{
    memcpy(at, &v, sizeof(v));
}

/* Every byte is the lowest byte of `value`. */
INLINE vector vector_all(size_t value)
{
    return (uint8_t)value - (vector){0};
}

/* Byte i is i. */
INLINE vector vector_count(void)
{
    vector v;

    for (size_t i = 0; i < VECTOR_BYTES; i++)
        v[i] = (uint8_t)i;
    return v;
}

/* The bytes of a where those of the mask are 255, those of b where they are 0.
 */
INLINE vector vector_select(vector mask, vector a, vector b)
{
    return (a & mask) | (b & ~mask);
}

/* Lists of indexes that interleave the elements from n on of each lane of two
 * vectors, for elements of 1, 2, 4 and 8 bytes. */
#define VECTOR_PAIRS1(n, each)                                                 \
    (n), (each) + (n), (n) + 1, (each) + (n) + 1, (n) + 2, (each) + (n) + 2,   \
        (n) + 3, (each) + (n) + 3, (n) + 4, (each) + (n) + 4, (n) + 5,         \
        (each) + (n) + 5, (n) + 6, (each) + (n) + 6, (n) + 7, (each) + (n) + 7
#define VECTOR_PAIRS2(n, each)                                                 \
    (n), (each) + (n), (n) + 1, (each) + (n) + 1, (n) + 2, (each) + (n) + 2,   \
        (n) + 3, (each) + (n) + 3
#define VECTOR_PAIRS4(n, each) (n), (each) + (n), (n) + 1, (each) + (n) + 1
#define VECTOR_PAIRS8(n, each) (n), (each) + (n)

#if VECTOR_BYTES == 16
#define VECTOR_EACH(pairs, n, lane, each) pairs(n, each)
#elif VECTOR_BYTES == 32
#define VECTOR_EACH(pairs, n, lane, each)                                      \
    pairs(n, each), pairs((n) + (lane), each)
#else
#define VECTOR_EACH(pairs, n, lane, each)                                      \
    pairs(n, each), pairs((n) + (lane), each), pairs((n) + 2 * (lane), each),  \
        pairs((n) + 3 * (lane), each)
#endif

/* Shuffles two vectors a and b, as elements of `type` with `size` bytes: the
 * compiler wants an index of constants. */
#define VECTOR_INTERLEAVE(type, size, pairs, n)                                \
    (vector) __builtin_shufflevector(                                          \
        (type)a, (type)b,                                                      \
        VECTOR_EACH(pairs, n, 16 / (size), VECTOR_BYTES / (size)))

/* Interleaves the elements in the first halves of each lane of a and b. `size`
 * is a constant: 1, 2, 4 or 8. */
INLINE vector vector_interleave_low(vector a, vector b, size_t size)
{
    if (size == 1)
        return VECTOR_INTERLEAVE(vector, 1, VECTOR_PAIRS1, 0);
    if (size == 2)
        return VECTOR_INTERLEAVE(vector_twos, 2, VECTOR_PAIRS2, 0);
    if (size == 4)
        return VECTOR_INTERLEAVE(vector_fours, 4, VECTOR_PAIRS4, 0);
    return VECTOR_INTERLEAVE(vector_eights, 8, VECTOR_PAIRS8, 0);
}

/* The same of the second halves. */
INLINE vector vector_interleave_high(vector a, vector b, size_t size)
{
    if (size == 1)
        return VECTOR_INTERLEAVE(vector, 1, VECTOR_PAIRS1, 8);
    if (size == 2)
        return VECTOR_INTERLEAVE(vector_twos, 2, VECTOR_PAIRS2, 4);
    if (size == 4)
        return VECTOR_INTERLEAVE(vector_fours, 4, VECTOR_PAIRS4, 2);
    return VECTOR_INTERLEAVE(vector_eights, 8, VECTOR_PAIRS8, 1);
}
