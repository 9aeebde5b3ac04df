/* One block of 64 bytes of a list of numbers: which bytes begin numbers, which
 * end them, and what is wrong. Each instruction set brings its own masks. */
#pragma once

#include "api/lex/grammar.h"
#include "api/lex/scan.h"
#include "api/lex/simd_table.h"
#include "api/lex/token_stream.h"

/* Where rows of one token each are stored. */
struct one_token_rows {
    struct span *rows; /* the next row */
    uint32_t open;     /* start of the number being read, if has_open */
    uint32_t has_open; /* 0 or 1 */
};

struct block_walk;

/* Bits of one block: first bytes of numbers, commas, white space. */
struct block_tokens {
    uint64_t starts, commas, spaces;
};

/* Classifies the block at w->at and returns its violations: see grammar.h. */
typedef uint64_t (*block_classify_fn)(struct block_walk *w,
                                      struct block_tokens *found);
typedef void (*block_masks_fn)(const char *text, struct grammar_masks *m);
/* Stores the rows that `starts` and `commas` of the block at offset `base`
 * begin and end; may write JSON_SIMD_ROWS rows. */
typedef void (*block_store_fn)(struct one_token_rows *out, uint64_t starts,
                               uint64_t commas, uint32_t base);

struct block_walk {
    struct token_stream *s;
    const char *at;     /* the block */
    const char *resume; /* after the last comma */
    const char *stop;   /* one past the last start of a block */
    uint64_t row_end; /* value of `tokens` that completes the row being read */
    struct grammar_run run;
    struct grammar_carry carry;
    struct one_token_rows one_token_rows;
};

/* Prefetches one page ahead: the hardware prefetcher stops at the end of a page
 * and has to detect the stream anew. */
static inline void block_prefetch(const char *text)
{
    const uintptr_t page = 4096;

    __builtin_prefetch((const void *)((uintptr_t)text + page));
}

/* Index of the lowest set bit; 64 when there is none. */
static inline uint32_t block_first_bit(uint64_t mask)
{
    return mask ? (uint32_t)__builtin_ctzll(mask) : 64;
}

/* Index of the set bit that has `n` set bits below it. */
static inline unsigned block_nth_bit(uint64_t mask, uint64_t n)
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

/* Adds the first number out of range to the violations; `suspects` are commas
 * after numbers to check. */
LEX_INLINE uint64_t block_check_range(const struct block_walk *w,
                                      uint64_t wrong, uint64_t suspects)
{
    if (wrong)
        suspects &= (wrong & -wrong) - 1;
    return suspects ? wrong | number_range_check(&w->s->range, w->s->text,
                                                 w->at, suspects)
                    : wrong;
}

LEX_INLINE uint64_t block_classify_integers(struct block_walk *w,
                                            struct block_tokens *found,
                                            block_masks_fn masks)
{
    struct grammar_masks m = {0};
    uint64_t wrong, suspects;

    masks(w->at, &m);
    found->commas = m.comma;
    found->spaces = m.space;
    wrong = grammar_check_integers(&m, &w->run, &w->carry, &found->starts,
                                   &suspects);
    if (w->s->range.least == 0)
        wrong |= m.minus;
    return block_check_range(w, wrong, suspects);
}

LEX_INLINE uint64_t block_classify_floats(struct block_walk *w,
                                          struct block_tokens *found,
                                          block_masks_fn masks)
{
    struct grammar_masks m = {0};

    masks(w->at, &m);
    found->commas = m.comma;
    found->spaces = m.space;
    return grammar_check_floats(&m, &w->run, &w->carry, &found->starts);
}

/* The run of digits that makes a number suspect. */
static inline struct grammar_run block_run(const struct token_stream *s,
                                           bool floats)
{
    size_t half = s->range.safe_exponent / 2 + 1;

    if (floats)
        return grammar_run_of(half < 32 ? (unsigned)half : 32);
    return grammar_run_of((unsigned)s->range.safe_digits + 1);
}

/* Blocks lie before `end` and start before the next check of `cancel`. */
static inline const char *block_stop(const struct token_stream *s,
                                     const char *end)
{
    const char *stop = end - (JSON_SIMD_BLOCK - 1);

    return s->next_cancel_check < stop ? s->next_cancel_check : stop;
}

/* For blocks that are known to be valid. */
LEX_INLINE uint64_t block_classify_validated(struct block_walk *w,
                                             struct block_tokens *found,
                                             uint64_t commas, uint64_t spaces)
{
    uint64_t token = ~(commas | spaces);

    found->commas = commas;
    found->starts = token & ~grammar_next(token, &w->carry.token);
    return 0;
}
