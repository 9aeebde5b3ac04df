/* The functions of simd_functions.h for lists of numbers: validation to commas,
 * commas to rows. */
#pragma once

#include "api/lex/comma_index.h"
#include "api/lex/row_index.h"
#include "api/lex/simd.h"

/* Prefetches one page ahead: the hardware prefetcher stops at the end of a page
 * and has to detect the stream anew. */
static inline void prefetch_page(const char *text)
{
    const uintptr_t page = 4096;

    __builtin_prefetch((const void *)((uintptr_t)text + page));
}

/* Finds the classes of most bytes; returns the others. */
LEX_INLINE uint64_t classify(struct block b, bool floats,
                             struct grammar_masks *m)
{
    m->digit = block_digits(b);
    m->zero = block_equal(b, '0');
    m->minus = block_equal(b, '-');
    m->comma = block_equal(b, ',');
    m->point = floats ? block_equal(b, '.') : 0;
    return ~(m->digit | m->minus | m->comma | m->point);
}

LEX_INLINE uint64_t check_floats(struct block b, struct grammar_masks *m,
                                 const struct grammar_run *suspect,
                                 struct grammar_carry *carry)
{
    uint64_t others = classify(b, true, m);

    /* With masks that are known to be 0, half of the arithmetic goes. */
    if (!others && !(carry->exponent | carry->power))
        return grammar_check_points(m, suspect, carry, false);
    m->space = block_spaces(b);
    if (others != m->space)
        m->exponent = block_equal(b, 'e') | block_equal(b, 'E');
    return grammar_check_floats(m, suspect, carry);
}

LEX_INLINE uint64_t check_integers(struct block b, struct grammar_masks *m,
                                   const struct grammar_run *suspect,
                                   struct grammar_carry *carry,
                                   uint64_t *suspects)
{
    if (classify(b, false, m))
        m->space = block_spaces(b);
    return grammar_check_integers(m, suspect, carry, suspects);
}

/* Adds the first number out of range to the violations; `suspects` are commas
 * after numbers to check. */
LEX_INLINE uint64_t check_range(const struct number_range *range,
                                const char *text, const char *block,
                                uint64_t wrong, uint64_t suspects)
{
    if (wrong)
        suspects &= (wrong & -wrong) - 1;
    return suspects ? wrong | number_range_check(range, text, block, suspects)
                    : wrong;
}

LEX_INLINE void append_numbers(struct comma_index *index, const char *text,
                               size_t blocks, bool floats)
{
    const struct number_range *range = index->range;
    const char *at = text + index->first + index->count * JSON_SIMD_BLOCK;
    uint64_t *words = index->words + index->count;
    const struct grammar_run run = range->suspect;
    struct grammar_carry carry = index->carry;
    uint64_t wrong = 0, spaces = 0;
    size_t i;

    for (i = 0; i < blocks && !wrong; i++, at += JSON_SIMD_BLOCK) {
        struct grammar_masks m = {0};
        uint64_t suspects = 0;

        prefetch_page(at);
        if (floats)
            wrong = check_floats(block_load(at), &m, &run, &carry);
        else
            wrong = check_integers(block_load(at), &m, &run, &carry, &suspects);
        if (!floats && range->least == 0)
            wrong |= m.minus;
        wrong = check_range(range, text, at, wrong, suspects);
        words[i] = wrong ? m.comma & ((wrong & -wrong) - 1) : m.comma;
        spaces |= m.space;
    }
    index->count += i;
    index->stopped = wrong != 0;
    index->has_spaces |= spaces != 0;
    index->carry = carry;
}

static void numbers(struct comma_index *index, const char *text, size_t blocks)
{
    if (number_range_is_float(index->range))
        append_numbers(index, text, blocks, true);
    else
        append_numbers(index, text, blocks, false);
}

/* Index of the lowest set bit; 64 when there is none. */
static inline uint32_t first_bit(uint64_t mask)
{
    return mask ? (uint32_t)__builtin_ctzll(mask) : 64;
}

/* Index of the set bit that has `n` set bits below it. */
static inline unsigned nth_bit(uint64_t mask, uint64_t n)
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

/* Ends the rows that one block completes; most blocks complete none. */
static inline void end_rows(struct row_index *index, const char *text,
                            size_t base, uint64_t commas)
{
    uint64_t left = (uint64_t)__builtin_popcountll(commas);

    while (left >= index->tokens_left) {
        unsigned bit = nth_bit(commas, index->tokens_left - 1);

        left -= index->tokens_left;
        commas &= UINT64_MAX << bit << 1;
        row_index_end(index, text, base + bit);
    }
    index->tokens_left -= left;
}

#ifndef BLOCK_HAS_STORE_ROWS
/* Stores a row of one token for each comma of the block at offset `base`. The
 * start of the first row is there; `starts` are those of the others. Stores
 * groups of eight, whether a group has that many or not: a loop of exactly as
 * many as there are ends in a mispredicted branch each time. */
LEX_INLINE void block_store_rows(struct span *row, uint32_t base,
                                 uint64_t commas, uint64_t starts)
{
    uint32_t start = row->start;

    for (; commas; row += 8)
        for (int i = 0; i < 8; i++) {
            row[i] = (struct span){start, base + first_bit(commas) - start};
            start = base + first_bit(starts);
            commas &= commas - 1;
            starts &= starts - 1;
        }
}
#endif

/* The first bytes of tokens in a block that follow a comma in it. */
LEX_INLINE uint64_t find_starts(const char *block, uint64_t commas)
{
    uint64_t token = ~(commas | block_blanks(block_load(block)));

    return token & ~(token << 1) & ~(commas ^ (commas - 1));
}

/* Ends a row of one token at each comma of a block, of which there are some. */
LEX_INLINE void end_short_rows(struct row_index *index, const char *text,
                               size_t base, uint64_t commas, bool spaces)
{
    struct span *row = index->rows + index->count;
    const char *first = text + index->row_start;

    index->count += (uint64_t)__builtin_popcountll(commas);
    index->row_start = base + 64 - (size_t)__builtin_clzll(commas);
    if (spaces)
        first = scan_skip_space(first);
    row->start = (uint32_t)(first - text);
    block_store_rows(row, (uint32_t)base, commas,
                     spaces ? find_starts(text + base, commas) : commas << 1);
}

LEX_INLINE uint64_t append_rows(struct row_index *rows, const char *text,
                                const struct comma_index *commas,
                                bool one_token, bool spaces)
{
    size_t base = commas->first;
    uint64_t tokens = 0;

    for (size_t i = 0; i < commas->count; i++, base += JSON_SIMD_BLOCK) {
        uint64_t word = commas->words[i];

        /* A full index is soon written from this text. */
        if (rows->full > 0)
            __builtin_prefetch(text + base);
        if (!word)
            continue;
        tokens += (uint64_t)__builtin_popcountll(word);
        if (one_token)
            row_index_reserve(rows);
        if (one_token && rows->capacity - rows->count >= ROW_INDEX_SPARE)
            end_short_rows(rows, text, base, word, spaces);
        else
            end_rows(rows, text, base, word);
    }
    return tokens;
}

static uint64_t rows(struct row_index *index, const char *text,
                     const struct comma_index *commas)
{
    if (index->row_tokens != 1)
        return append_rows(index, text, commas, false, false);
    if (commas->has_spaces)
        return append_rows(index, text, commas, true, true);
    return append_rows(index, text, commas, true, false);
}
