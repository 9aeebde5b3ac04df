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

/* Finds the classes of the usual bytes; returns the others. */
LEX_INLINE uint64_t classify(struct block b, bool floats,
                             struct grammar_masks *m)
{
    m->digit = block_digits(b);
    m->zero = block_equal(b, '0');
    m->minus = block_equal(b, '-');
    m->comma = block_equal(b, ',');
    m->space = block_equal(b, ' ');
    m->point = floats ? block_equal(b, '.') : 0;
    return ~(m->digit | m->minus | m->comma | m->space | m->point);
}

/* The bits below the lowest one of `mask`; all when there is none. */
static inline uint64_t bits_below(uint64_t mask)
{
    return (mask & -mask) - 1;
}

/* USUAL_FLOATS have no exponents and no other white space than ' ': with masks
 * that are known to be 0, half of the arithmetic goes. */
enum kind { INTEGERS, FLOATS, USUAL_FLOATS };

/* Whether any of these `others` of a block may be part of a list of floats. */
static inline bool has_unusual(struct block b, uint64_t others)
{
    return others &
           (block_spaces(b) | block_equal(b, 'e') | block_equal(b, 'E'));
}

/* The violations of the block `b`; `m` has the usual classes of its bytes. */
LEX_INLINE uint64_t check_floats(enum kind kind, struct block b,
                                 struct grammar_masks *m,
                                 const struct grammar_run *suspect,
                                 struct grammar_carry *carry)
{
    if (kind == USUAL_FLOATS)
        return grammar_check_floats(m, suspect, carry, false);
    m->space = block_spaces(b);
    m->exponent = block_equal(b, 'e') | block_equal(b, 'E');
    return grammar_check_floats(m, suspect, carry, true);
}

/* The same for integers; `text` is the array, with the block at `at`. */
LEX_INLINE uint64_t check_integers(const struct number_range *range,
                                   const char *text, const char *at,
                                   struct grammar_masks *m,
                                   struct grammar_carry *carry)
{
    uint64_t suspects;
    uint64_t wrong =
        grammar_check_integers(m, &range->suspect, carry, &suspects);

    if (range->least == 0)
        wrong |= m->minus;
    return wrong |
           number_range_check(range, text, at, suspects & bits_below(wrong));
}

/* The state is copied to variables, which stay in registers. */
LEX_INLINE void append_blocks(struct comma_index *index, const char *text,
                              size_t blocks, enum kind kind)
{
    const struct number_range *range = index->range;
    const struct grammar_run run = range->suspect;
    const char *at = text + index->first + index->count * JSON_SIMD_BLOCK;
    struct grammar_carry carry = index->carry;
    uint64_t *words = index->words + index->count;
    uint64_t wrong = 0, spaces = 0;
    size_t i;

    for (i = 0; i < blocks && !wrong; i++, at += JSON_SIMD_BLOCK) {
        struct block b = block_load(at);
        struct grammar_masks m = {0};
        uint64_t others = classify(b, kind != INTEGERS, &m);

        prefetch_page(at);
        if (kind == USUAL_FLOATS && others && has_unusual(b, others))
            break;
        if (kind == INTEGERS && others)
            m.space = block_spaces(b);
        if (kind == INTEGERS)
            wrong = check_integers(range, text, at, &m, &carry);
        else
            wrong = check_floats(kind, b, &m, &run, &carry);
        words[i] = m.comma;
        spaces |= m.space;
    }
    if (wrong)
        words[i - 1] &= bits_below(wrong);
    index->count += i;
    index->stopped = wrong != 0;
    index->has_spaces |= spaces != 0;
    index->carry = carry;
}

/* The two loops over floats are functions of their own: in one, gcc keeps the
 * state of the usual blocks in memory, which takes a third longer. */
__attribute__((noinline)) static void
append_usual_floats(struct comma_index *index, const char *text, size_t blocks)
{
    append_blocks(index, text, blocks, USUAL_FLOATS);
}

__attribute__((noinline)) static void
append_floats(struct comma_index *index, const char *text, size_t blocks)
{
    append_blocks(index, text, blocks, FLOATS);
}

static void numbers(struct comma_index *index, const char *text, size_t blocks)
{
    enum { AT_ONCE = 4 }; /* blocks: one unusual block is rarely alone */
    size_t end = index->count + blocks;

    if (!number_range_is_float(index->range)) {
        append_blocks(index, text, blocks, INTEGERS);
        return;
    }
    while (index->count < end && !index->stopped) {
        if (!(index->carry.exponent | index->carry.power))
            append_usual_floats(index, text, end - index->count);
        blocks = end - index->count < AT_ONCE ? end - index->count : AT_ONCE;
        if (!index->stopped)
            append_floats(index, text, blocks);
    }
}

/* Index of the lowest set bit; 64 when there is none. */
static inline uint32_t first_bit(uint64_t mask)
{
    return mask ? (uint32_t)__builtin_ctzll(mask) : 64;
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
            row_index_end_block(rows, text, base, word);
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
