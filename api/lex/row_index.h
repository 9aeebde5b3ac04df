/* Rows of a data array, and the index of them that a scan builds. */
#pragma once

#include <stdint.h>

#include "api/lex/scan.h"

/* A row of elements in its source: a piece of a text or of a BYTES tensor that
 * moves as a whole. 8 bytes, so that move_swap() moves rows as 64-bit elements.
 */
struct span {
    uint32_t start; /* offset of the first byte of the first element */
    uint32_t len;   /* bytes up to the end of the last element */
};

/* Rows that a full index still has memory for: vector code stores several at
 * once, most of them past the last real one. */
enum { ROW_INDEX_SPARE = 64 };

/* Where each row of `row_tokens` tokens stands in the text. */
struct row_index {
    struct span *rows;    /* borrowed; NULL when `capacity` is 0 */
    uint64_t capacity;    /* rows past it are counted as tokens, not stored */
    uint64_t count;       /* rows stored */
    uint64_t row_tokens;  /* tokens in a row */
    uint64_t tokens_left; /* until the row being read is complete */
    size_t row_start;     /* offset of its first token, or of space before it */

    /* Called before another row is stored when `count` has reached `full`; it
     * removes `full` rows from the index. Never called when `full` is 0. */
    void (*on_full)(struct row_index *index);
    uint64_t full;
    void *owner; /* borrowed; for on_full() */
};

/* To be called before each row is stored, not as soon as the index is full: an
 * error after the last row of the index is diagnosed by reading its last
 * element once more, so that text must still stand. */
static inline void row_index_reserve(struct row_index *index)
{
    if (index->full > 0 && index->count >= index->full)
        index->on_full(index);
}

/* Ends the row being read before offset `end` of the array `text`. */
static inline void row_index_end(struct row_index *index, const char *text,
                                 size_t end)
{
    size_t start = (size_t)(scan_skip_space(text + index->row_start) - text);

    index->tokens_left = index->row_tokens;
    index->row_start = end + 1;
    row_index_reserve(index);
    if (index->count < index->capacity)
        index->rows[index->count++] =
            (struct span){(uint32_t)start, (uint32_t)(end - start)};
}

/* Index of the set bit that has `n` set bits below it. */
static inline unsigned row_index_nth_bit(uint64_t mask, uint64_t n)
{
#ifdef __BMI2__
    return (unsigned)__builtin_ctzll(
        __builtin_ia32_pdep_di(UINT64_C(1) << n, mask));
#else
    while (n-- > 0)
        mask &= mask - 1;
    return (unsigned)__builtin_ctzll(mask);
#endif
}

/* Ends the rows that the 64 bytes from offset `base` on complete, where a bit
 * of `commas` stands for each comma; most complete none. */
static inline void row_index_end_block(struct row_index *index,
                                       const char *text, size_t base,
                                       uint64_t commas)
{
    uint64_t left = (uint64_t)__builtin_popcountll(commas);

    while (left >= index->tokens_left) {
        unsigned bit = row_index_nth_bit(commas, index->tokens_left - 1);

        left -= index->tokens_left;
        commas &= UINT64_MAX << bit << 1;
        row_index_end(index, text, base + bit);
    }
    index->tokens_left -= left;
}
