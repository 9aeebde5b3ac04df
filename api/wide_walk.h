/* The walk over the blocks of a list of numbers; each level makes its own copy
 * with its way to get masks and to store rows of one number. */
#pragma once

#include "api/text_scan.h"
#include "api/wide.h"
#include "api/wide_grammar.h"

#define WIDE_INLINE static inline __attribute__((always_inline))

/* Rows of one number each. */
struct wide_singles {
    struct stretch *rows; /* where the next ones go */
    uint32_t open;        /* start of the number at hand, when there is one */
    uint32_t has_open;    /* 0 or 1 */
};

typedef void (*wide_masks_fn)(const char *text, struct wide_masks *m);
/* `starts` and `commas` of the block at `base`, in turn; has room for
 * WIDE_ROOM rows. */
typedef void (*wide_singles_fn)(struct wide_singles *singles, uint64_t starts,
                                uint64_t commas, uint32_t base);

enum { WIDE_ROOM = 2 * WIDE_BLOCK };

struct wide_walk {
    struct text_scan *s;
    const char *at;     /* the block at hand */
    const char *resume; /* behind the last comma */
    struct wide_run run;
    struct wide_carry carry;
    struct wide_singles singles;
};

/* Place of the lowest set bit; 64 when there is none. */
static inline uint32_t wide_first(uint64_t mask)
{
    return mask ? (uint32_t)__builtin_ctzll(mask) : 64;
}

/* Place of the bit that has `n` set bits below it. */
static inline unsigned wide_nth(uint64_t mask, uint64_t n)
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

static inline void wide_end_row(struct text_scan *s, const char *comma)
{
    const char *start = text_scan_space(s->row_start);

    s->rows[s->row_count].start = (uint32_t)(start - s->a->text);
    s->rows[s->row_count].len = (uint32_t)(comma - start);
    s->row_count++;
    s->row_start = comma + 1;
}

/* Rows of several numbers: most blocks end none. */
WIDE_INLINE void wide_mark(struct text_scan *s, const char *block,
                           uint64_t commas, uint64_t count)
{
    uint64_t passed = 0;

    while (count - passed >= s->missing) {
        passed += s->missing;
        s->missing = s->row;
        if (s->row_count == s->row_limit)
            return;
        wide_end_row(s, block + wide_nth(commas, passed - 1));
    }
    s->missing -= count - passed;
}

static inline uint64_t wide_digits(const char *text)
{
    uint64_t digits = scan_load(text);

    return __builtin_bswap64(digits);
}

/* Whether the number that ends at `end` has one digit more than the safe ones,
 * and is in range by comparing its text with the limit's. */
static inline bool wide_is_within(const struct text_scan *s, const char *end)
{
    unsigned digits = (unsigned)s->safe_digits + 1;
    const struct text_limit *limit = &s->most_text;
    uint64_t high = 0, low;
    char front;

    if (digits > 16 || end - s->a->text <= 16)
        return false;
    front = *(end - digits - 1);
    if (scan_is_digit(front))
        return false;
    if (front == '-')
        limit = &s->least_text;
    low = wide_digits(end - 8);
    if (digits < 8)
        low &= (UINT64_C(1) << digits * 8) - 1;
    else if (digits > 8)
        high = wide_digits(end - 16) & (UINT64_MAX >> (16 - digits) * 8);
    return high < limit->high || (high == limit->high && low <= limit->low);
}

/* The lowest comma of `judge` that ends a number out of range, as a bit. */
static inline uint64_t wide_judge(const struct text_scan *s, const char *block,
                                  uint64_t judge)
{
    for (; judge; judge &= judge - 1) {
        const char *end = block + __builtin_ctzll(judge);
        const char *start = end;

        if (wide_is_within(s, end))
            continue;
        while (scan_is_digit(start[-1]))
            start--;
        start -= start[-1] == '-';
        if (!text_scan_in_range(s, start, (size_t)(end - start)))
            return judge & -judge;
    }
    return 0;
}

/* What is wrong in the block at hand. */
WIDE_INLINE uint64_t wide_look(struct wide_walk *w, bool floats,
                               const struct wide_masks *m, uint64_t *starts)
{
    uint64_t wrong, judge;

    if (floats)
        return wide_check_floats(m, &w->run, &w->carry, starts);
    wrong = wide_check_integers(m, &w->run, &w->carry, starts, &judge);
    if (w->s->least == 0)
        wrong |= m->minus;
    if (wrong)
        judge &= (wrong & -wrong) - 1;
    return judge ? wrong | wide_judge(w->s, w->at, judge) : wrong;
}

/* The digits that must be looked at. */
static inline struct wide_run wide_run_for(const struct text_scan *s,
                                           bool floats)
{
    size_t half = s->safe_exponent / 2 + 1;

    if (floats)
        return wide_run_of(half < 32 ? (unsigned)half : 32);
    return wide_run_of((unsigned)s->safe_digits + 1);
}

static inline bool wide_goes_on(const struct wide_walk *w, bool singles)
{
    const struct text_scan *s = w->s;

    if (s->end - w->at < WIDE_BLOCK || w->at >= s->pause)
        return false;
    return !singles ||
           s->rows + s->row_limit - w->singles.rows >= (ptrdiff_t)WIDE_ROOM;
}

WIDE_INLINE void wide_blocks(struct wide_walk *w, bool floats, bool singles,
                             wide_masks_fn masks, wide_singles_fn store)
{
    struct text_scan *s = w->s;
    uint64_t wrong = 0;

    for (; !wrong && wide_goes_on(w, singles); w->at += WIDE_BLOCK) {
        uint64_t starts, commas, count;
        struct wide_masks m = {0};

        masks(w->at, &m);
        wrong = wide_look(w, floats, &m, &starts);
        commas = m.comma;
        if (wrong) {
            commas &= (wrong & -wrong) - 1;
            starts &= (wrong & -wrong) - 1;
        }
        if (commas == 0 && !singles)
            continue;
        count = (uint64_t)__builtin_popcountll(commas);
        s->tokens += count;
        if (commas)
            w->resume = w->at + WIDE_BLOCK - __builtin_clzll(commas);
        if (singles)
            store(&w->singles, starts, commas, (uint32_t)(w->at - s->a->text));
        else if (s->row_limit > 0)
            wide_mark(s, w->at, commas, count);
    }
}

WIDE_INLINE const char *wide_numbers(struct text_scan *s, const char *text,
                                     bool floats, wide_masks_fn masks,
                                     wide_singles_fn store)
{
    struct wide_walk w = {.s = s, .at = text, .resume = text};

    w.run = wide_run_for(s, floats);
    if (s->row == 1 && s->row_limit > 0) {
        w.singles.rows = s->rows + s->row_count;
        wide_blocks(&w, floats, true, masks, store);
        s->row_count = (uint64_t)(w.singles.rows - s->rows);
    } else {
        if (s->missing == s->row)
            s->row_start = text;
        wide_blocks(&w, floats, false, masks, store);
        s->row_start = text_scan_space(s->row_start);
    }
    return w.resume == text ? text : text_scan_space(w.resume);
}

/* Stores rows one by one: eight at a time whether they are there or not, which
 * spares branches that nobody can foretell. */
WIDE_INLINE void wide_store_singles(struct wide_singles *singles,
                                    uint64_t starts, uint64_t commas,
                                    uint32_t base)
{
    struct stretch *start = singles->rows + singles->has_open;
    struct stretch *end = singles->rows;

    singles->rows += __builtin_popcountll(commas);
    singles->has_open += (uint32_t)__builtin_popcountll(starts) -
                         (uint32_t)__builtin_popcountll(commas);
    while (starts | commas) {
        for (int i = 0; i < 8; i++, starts &= starts - 1)
            start[i].start = base + wide_first(starts);
        for (int i = 0; i < 8; i++, commas &= commas - 1)
            end[i].len = base + wide_first(commas) - end[i].start;
        start += 8;
        end += 8;
    }
}
