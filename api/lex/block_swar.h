/* A block of 64 bytes as eight 64-bit words, for any processor. Each function
 * sets the top bit of the bytes that match; word_mask() makes a mask of them.
 */
#pragma once

#include "api/lex/scan.h"

struct block {
    uint64_t words[8];
};

static inline struct block block_load(const char *text)
{
    struct block b;

    for (int i = 0; i < 8; i++)
        b.words[i] = scan_load(text + SCAN_BLOCK * i);
    return b;
}

/* Bytes that are 0, without the borrows of scan_equal(). */
static inline uint64_t word_zeros(uint64_t word)
{
    return ~(((word & ~SCAN_TOPS) + ~SCAN_TOPS) | word) & SCAN_TOPS;
}

static inline uint64_t word_equal(uint64_t word, char byte)
{
    return word_zeros(word ^ SCAN_ONES * (unsigned char)byte);
}

/* Moves the top bit of byte k to bit k: the multiplication shifts it by
 * 56 - 7 * k, and no two of its sums meet. */
static inline uint64_t word_mask(uint64_t tops)
{
    return (tops >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t block_equal(struct block b, char byte)
{
    uint64_t mask = 0;

    for (int i = 0; i < 8; i++)
        mask |= word_mask(word_equal(b.words[i], byte)) << 8 * i;
    return mask;
}

static inline uint64_t block_digits(struct block b)
{
    uint64_t mask = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t value = b.words[i] ^ SCAN_ONES * '0';
        uint64_t above = (value & ~SCAN_TOPS) + SCAN_ONES * (0x80 - 10);

        mask |= word_mask(~(above | value) & SCAN_TOPS) << 8 * i;
    }
    return mask;
}

static inline uint64_t block_spaces(struct block b)
{
    uint64_t mask = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t word = b.words[i];

        mask |= word_mask(word_equal(word, ' ') | word_equal(word, '\n') |
                          word_equal(word, '\r') | word_equal(word, '\t'))
                << 8 * i;
    }
    return mask;
}

static inline uint64_t block_blanks(struct block b)
{
    uint64_t mask = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t above = b.words[i] + SCAN_ONES * (0x80 - (' ' + 1));

        mask |= word_mask(~above & SCAN_TOPS) << 8 * i;
    }
    return mask;
}
