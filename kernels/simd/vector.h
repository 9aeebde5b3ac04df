/* One vector of VECTOR_BYTES bytes: the operations that are the same for every
 * instruction set. The source file of a table defines VECTOR_BYTES and
 * VECTOR_SHUFFLES, includes this and adds those that are not:
 *
 *   vector_shuffle           byte i becomes byte index[i] of the vector; only
 *                            where VECTOR_SHUFFLES is 1
 *   vector_reverse           reverses the order of all entries of a vector
 *   vector_store_nontemporal stores past the caches, at a multiple of
 *                            VECTOR_BYTES; only for vectors of a cache line
 *   vector_load_part         loads or stores the first `bytes` bytes, 0 to
 *   vector_store_part        VECTOR_BYTES; no byte beside them is accessed
 *   vector_load_lanes        loads each lane of 16 bytes at its own address
 *
 * Then it includes table.h with the loops (rows.h, reverse.h and so on), which
 * are written against it. The sums, differences and comparisons of vectors are
 * the compiler's, byte by byte. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/simd/kernel_table.h"

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

#if VECTOR_BYTES < 64
/* The first bytes of a vector, for instruction sets without masked loads and
 * stores. */

/* 16 bytes as two words, the first bytes in the low bits of the first word. */
struct vector_words {
    uint64_t low, high;
};

/* Loads 1 to 8 bytes as the low bytes of a word: the two halves overlap. */
INLINE uint64_t vector_load_word(const unsigned char *at, size_t bytes)
{
    uint64_t eight;
    uint32_t first, last;

    if (bytes == 8) {
        memcpy(&eight, at, 8);
        return eight;
    }
    if (bytes >= 4) {
        memcpy(&first, at, 4);
        memcpy(&last, at + bytes - 4, 4);
        return first | (uint64_t)last << (8 * (bytes - 4));
    }
    return at[0] | (uint64_t)at[bytes / 2] << (8 * (bytes / 2)) |
           (uint64_t)at[bytes - 1] << (8 * (bytes - 1));
}

INLINE void vector_store_word(unsigned char *at, uint64_t word, size_t bytes)
{
    uint32_t first = (uint32_t)word, last;

    if (bytes == 8) {
        memcpy(at, &word, 8);
    } else if (bytes >= 4) {
        last = (uint32_t)(word >> (8 * (bytes - 4)));
        memcpy(at, &first, 4);
        memcpy(at + bytes - 4, &last, 4);
    } else {
        at[0] = (unsigned char)word;
        at[bytes / 2] = (unsigned char)(word >> (8 * (bytes / 2)));
        at[bytes - 1] = (unsigned char)(word >> (8 * (bytes - 1)));
    }
}

/* Loads `bytes` bytes, 0 to 16; the others are 0. */
INLINE struct vector_words vector_load_words(const unsigned char *at,
                                             size_t bytes)
{
    struct vector_words words = {0, 0};

    if (bytes > 0)
        words.low = vector_load_word(at, bytes < 8 ? bytes : 8);
    if (bytes > 8)
        words.high = vector_load_word(at + 8, bytes - 8);
    return words;
}

INLINE void vector_store_words(unsigned char *at, struct vector_words words,
                               size_t bytes)
{
    if (bytes > 0)
        vector_store_word(at, words.low, bytes < 8 ? bytes : 8);
    if (bytes > 8)
        vector_store_word(at + 8, words.high, bytes - 8);
}

#if VECTOR_BYTES == 16
INLINE vector vector_load_part(const unsigned char *at, size_t bytes)
{
    struct vector_words words = vector_load_words(at, bytes);

    return (vector)(vector_eights){words.low, words.high};
}

INLINE void vector_store_part(unsigned char *at, vector v, size_t bytes)
{
    vector_eights words = (vector_eights)v;

    vector_store_words(at, (struct vector_words){words[0], words[1]}, bytes);
}

/* A vector is one lane. */
INLINE vector vector_load_lanes(const unsigned char *at, size_t step)
{
    (void)step;
    return vector_load(at);
}
#endif
#endif
