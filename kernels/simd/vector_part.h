/* The first bytes of a vector, for instruction sets without masked loads and
 * stores. No byte beside them is accessed. Included by the vector headers. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/simd/inline.h"

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

/* The first `bytes` bytes of a, the others of b. */
INLINE vector vector_join(vector a, vector b, size_t bytes)
{
    return vector_select((vector)(vector_count() < vector_all(bytes)), a, b);
}

/* A vector is one lane. */
INLINE vector vector_load_lanes(const unsigned char *at, size_t step)
{
    (void)step;
    return vector_load(at);
}
#endif
