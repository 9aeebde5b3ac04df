/* The walk over the blocks of a list of numbers; each level makes its own copy
 * with its way to get masks and to store rows of one number. */
#pragma once

#include "api/lex/grammar.h"
#include "api/lex/limits.h"
#include "api/lex/simd.h"
#include "api/tensor_json/parser.h"

/* Rows of one number each. */
struct wide_singles {
    struct span *rows; /* where the next ones go */
    uint32_t open;     /* start of the number at hand, when there is one */
    uint32_t has_open; /* 0 or 1 */
};

struct wide_walk;

/* Bits of the block at hand: first bytes of numbers, commas, white space. */
struct wide_found {
    uint64_t starts, commas, spaces;
};

/* Returns what is wrong in the block at hand: see wide_grammar.h. */
typedef uint64_t (*wide_look_fn)(struct wide_walk *w, struct wide_found *found);
typedef void (*wide_masks_fn)(const char *text, struct wide_masks *m);
/* `starts` and `commas` of the block at `base`, in turn; has room for
 * JSON_SIMD_ROWS rows. */
typedef void (*wide_singles_fn)(struct wide_singles *singles, uint64_t starts,
                                uint64_t commas, uint32_t base);

struct wide_walk {
    struct text_scan *s;
    const char *at;     /* the block at hand */
    const char *resume; /* behind the last comma */
    const char *stop;   /* where the last block may start, and a byte */
    uint64_t full;      /* tokens at which the row at hand ends */
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

    text_scan_make_room(s);
    s->rows[s->row_count].start = (uint32_t)(start - s->a->text);
    s->rows[s->row_count].len = (uint32_t)(comma - start);
    s->row_start = comma + 1;
    s->row_count++;
}

/* Rows of several numbers: most blocks end none. `count` commas lead to
 * s->tokens; *full is the number at which the row at hand ends. */
static inline void wide_mark(struct wide_walk *w, uint64_t commas,
                             uint64_t tokens)
{
    struct text_scan *s = w->s;
    uint64_t before = tokens - (uint64_t)__builtin_popcountll(commas);

    for (; w->full <= tokens; w->full += s->row)
        if (s->row_count < s->row_limit)
            wide_end_row(s, w->at + wide_nth(commas, w->full - before - 1));
}

/* What is wrong, with the numbers in front of commas in `judge` in range. */
WIDE_INLINE uint64_t wide_in_range(const struct wide_walk *w, uint64_t wrong,
                                   uint64_t judge)
{
    if (wrong)
        judge &= (wrong & -wrong) - 1;
    return judge ? wrong | wide_judge(w->s, w->at, judge) : wrong;
}

WIDE_INLINE uint64_t wide_look_integers(struct wide_walk *w,
                                        struct wide_found *found,
                                        wide_masks_fn masks)
{
    struct wide_masks m = {0};
    uint64_t wrong, judge;

    masks(w->at, &m);
    found->commas = m.comma;
    found->spaces = m.space;
    wrong = wide_check_integers(&m, &w->run, &w->carry, &found->starts, &judge);
    if (w->s->least == 0)
        wrong |= m.minus;
    return wide_in_range(w, wrong, judge);
}

WIDE_INLINE uint64_t wide_look_floats(struct wide_walk *w,
                                      struct wide_found *found,
                                      wide_masks_fn masks)
{
    struct wide_masks m = {0};

    masks(w->at, &m);
    found->commas = m.comma;
    found->spaces = m.space;
    return wide_check_floats(&m, &w->run, &w->carry, &found->starts);
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

/* For blocks in front of `end`. */
static inline const char *wide_stop(const struct text_scan *s, const char *end)
{
    const char *stop = end - (JSON_SIMD_BLOCK - 1);

    return s->pause < stop ? s->pause : stop;
}

/* Rows of one number go up to `rows`: turns, if it is time. Returns where the
 * next ones go, and sets up to where this need not be called. */
static struct span *wide_make_room(struct text_scan *s, struct span *rows,
                                   struct span **edge)
{
    uint64_t limit;

    s->row_count = (uint64_t)(rows - s->rows);
    text_scan_make_room(s);
    limit =
        s->row_limit < JSON_SIMD_ROWS ? 0 : s->row_limit - JSON_SIMD_ROWS + 1;
    *edge = s->rows + (s->turn > 0 && s->turn < limit ? s->turn : limit);
    return s->rows + s->row_count;
}

WIDE_INLINE void wide_blocks(struct wide_walk *w, bool singles,
                             wide_look_fn look, wide_singles_fn store)
{
    struct text_scan *s = w->s;
    const char *stop = w->stop;
    struct span *edge = s->rows;
    uint64_t tokens = s->tokens, wrong = 0;

    w->full = tokens + s->missing;
    for (; !wrong && w->at < stop; w->at += JSON_SIMD_BLOCK) {
        struct wide_found found;

        if (singles && w->singles.rows >= edge) {
            w->singles.rows = wide_make_room(s, w->singles.rows, &edge);
            if (w->singles.rows >= edge)
                break;
        }
        wide_foresee(w->at);
        wrong = look(w, &found);
        if (wrong) {
            found.commas &= (wrong & -wrong) - 1;
            found.starts &= (wrong & -wrong) - 1;
        }
        if (found.commas)
            w->resume = w->at + JSON_SIMD_BLOCK - __builtin_clzll(found.commas);
        tokens += (uint64_t)__builtin_popcountll(found.commas);
        if (singles)
            store(&w->singles, found.starts, found.commas,
                  (uint32_t)(w->at - s->a->text));
        else if (tokens >= w->full)
            wide_mark(w, found.commas, tokens);
    }
    if (!singles)
        s->missing = w->full - tokens;
    s->tokens = tokens;
}

WIDE_INLINE const char *wide_go(struct wide_walk *w, wide_look_fn look,
                                wide_singles_fn store)
{
    struct text_scan *s = w->s;
    const char *text = w->at;

    if (s->row == 1 && s->row_limit >= JSON_SIMD_ROWS) {
        w->singles.rows = s->rows + s->row_count;
        wide_blocks(w, true, look, store);
        s->row_count = (uint64_t)(w->singles.rows - s->rows);
    } else {
        if (s->missing == s->row)
            s->row_start = text;
        wide_blocks(w, false, look, store);
        s->row_start = text_scan_space(s->row_start);
    }
    return w->resume == text ? text : text_scan_space(w->resume);
}

WIDE_INLINE const char *wide_numbers(struct text_scan *s, const char *text,
                                     bool floats, wide_look_fn look,
                                     wide_singles_fn store)
{
    struct wide_walk w = {
        .s = s, .at = text, .resume = text, .stop = wide_stop(s, s->end)};

    w.run = wide_run_for(s, floats);
    return wide_go(&w, look, store);
}

WIDE_INLINE const char *wide_known(struct text_scan *s, const char *text,
                                   wide_look_fn look, wide_singles_fn store)
{
    struct wide_walk w = {
        .s = s, .at = text, .resume = text, .stop = wide_stop(s, s->known)};

    return wide_go(&w, look, store);
}

/* Where nothing is wrong. */
WIDE_INLINE uint64_t wide_look_known(struct wide_walk *w,
                                     struct wide_found *found, uint64_t commas,
                                     uint64_t spaces)
{
    uint64_t token = ~(commas | spaces);

    found->commas = commas;
    found->starts = token & ~wide_behind(token, &w->carry.token);
    return 0;
}

/* Stores rows one by one: eight at a time whether they are there or not, which
 * spares branches that nobody can foretell. */
WIDE_INLINE void wide_store_singles(struct wide_singles *singles,
                                    uint64_t starts, uint64_t commas,
                                    uint32_t base)
{
    struct span *start = singles->rows + singles->has_open;
    struct span *end = singles->rows;

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
