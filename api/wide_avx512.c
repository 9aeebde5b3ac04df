#include <immintrin.h>

#include "api/wide_level.h"
#include "api/wide_lists.h"
#include "api/wide_walk.h"

WIDE_INLINE uint64_t equal(__m512i block, char byte)
{
    return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte));
}

WIDE_INLINE uint64_t spaces(__m512i block)
{
    return equal(block, ' ') | equal(block, '\n') | equal(block, '\r') |
           equal(block, '\t');
}

/* Most of the grammar is about pairs: what a byte is, as one bit, and the bits
 * that may stand behind it. White space stands behind commas only, for more is
 * rare, and so is an exponent without '-'. */
enum {
    DIGIT = 1,
    COMMA = 2,
    POINT = 4,
    EXPONENT = 8,
    MINUS = 16,
    SPACE = 32,
    PAIR = 127,
    LEAD = 128, /* a 0; what starts a number or its digits may be in front */
};

#define BEHIND_DIGIT (DIGIT | COMMA | POINT | EXPONENT)
#define BEHIND_COMMA (DIGIT | MINUS | SPACE | LEAD)

static const unsigned char kinds[128] = {
    ['0'] = DIGIT | LEAD, ['1'] = DIGIT,    ['2'] = DIGIT,  ['3'] = DIGIT,
    ['4'] = DIGIT,        ['5'] = DIGIT,    ['6'] = DIGIT,  ['7'] = DIGIT,
    ['8'] = DIGIT,        ['9'] = DIGIT,    [','] = COMMA,  ['.'] = POINT,
    ['e'] = EXPONENT,     ['E'] = EXPONENT, ['-'] = MINUS,  [' '] = SPACE,
    ['\n'] = SPACE,       ['\r'] = SPACE,   ['\t'] = SPACE,
};

static const unsigned char followers[128] = {
    ['0'] = BEHIND_DIGIT,  ['1'] = BEHIND_DIGIT,  ['2'] = BEHIND_DIGIT,
    ['3'] = BEHIND_DIGIT,  ['4'] = BEHIND_DIGIT,  ['5'] = BEHIND_DIGIT,
    ['6'] = BEHIND_DIGIT,  ['7'] = BEHIND_DIGIT,  ['8'] = BEHIND_DIGIT,
    ['9'] = BEHIND_DIGIT,  [','] = BEHIND_COMMA,  ['.'] = DIGIT,
    ['e'] = MINUS,         ['E'] = MINUS,         ['-'] = DIGIT | LEAD,
    [' '] = BEHIND_COMMA,  ['\n'] = BEHIND_COMMA, ['\r'] = BEHIND_COMMA,
    ['\t'] = BEHIND_COMMA, ['['] = BEHIND_COMMA,
};

WIDE_INLINE __m512i look_up(const unsigned char table[128], __m512i block)
{
    return _mm512_permutex2var_epi8(_mm512_loadu_si512(table), block,
                                    _mm512_loadu_si512(table + WIDE_BLOCK));
}

WIDE_INLINE uint64_t any(__m512i kind, char bits)
{
    __m512i wanted = _mm512_set1_epi8(bits);

    /* Else gcc 12 makes the constant anew for each block. */
    __asm__("" : "+v"(wanted));
    return _mm512_test_epi8_mask(kind, wanted);
}

struct pairs {
    __m512i kind;
    uint64_t wrong, digit, lead;
};

WIDE_INLINE struct pairs look_at_pairs(struct wide_walk *w,
                                       struct wide_found *found)
{
    __m512i block = _mm512_loadu_si512(w->at);
    __m512i kind = look_up(kinds, block);
    __m512i right = _mm512_and_si512(
        kind, look_up(followers, _mm512_loadu_si512(w->at - 1)));
    struct pairs pairs = {
        .kind = kind,
        .wrong = ~any(right, PAIR) | _mm512_movepi8_mask(block),
        .digit = any(kind, DIGIT),
        .lead = _mm512_movepi8_mask(right),
    };
    uint64_t token;

    found->commas = any(kind, COMMA);
    token = ~(found->commas | any(kind, SPACE));
    found->starts = token & ~wide_behind(token, &w->carry.token);
    return pairs;
}

WIDE_INLINE uint64_t look_floats(struct wide_walk *w, struct wide_found *found)
{
    struct pairs pairs = look_at_pairs(w, found);
    struct wide_carry *c = &w->carry;
    uint64_t point = any(pairs.kind, POINT);
    uint64_t exponent = any(pairs.kind, EXPONENT);
    uint64_t body = ~(point | exponent | found->commas);
    uint64_t sum = wide_flood(point, body, &c->fraction);
    uint64_t whole = sum & body;

    pairs.wrong |= sum & point;
    if (exponent | c->exponent | c->power) {
        /* No number starts behind an exponent's '-'. */
        pairs.lead &= ~(exponent << 2 | c->exponent);
        c->exponent = exponent >> 62;
        sum = wide_flood(exponent, body, &c->power);
        pairs.wrong |= sum & (point | exponent);
    }
    pairs.wrong |= pairs.digit & wide_behind(pairs.lead, &c->lead);
    /* Runs of three are the shortest that must be looked at. */
    whole &= whole << 1;
    if (whole & whole << 1)
        pairs.wrong |= wide_runs(pairs.digit & sum, &w->run);
    return pairs.wrong;
}

WIDE_INLINE uint64_t look_integers(struct wide_walk *w,
                                   struct wide_found *found)
{
    struct pairs pairs = look_at_pairs(w, found);
    struct wide_carry *c = &w->carry;
    uint64_t runs = wide_runs_across(pairs.digit, c->digits, &w->run);

    c->digits = pairs.digit;
    pairs.wrong |= pairs.digit & wide_behind(pairs.lead, &c->lead);
    pairs.wrong |= any(pairs.kind, w->s->least == 0 ? POINT | EXPONENT | MINUS
                                                    : POINT | EXPONENT);
    return wide_in_range(w, pairs.wrong,
                         found->commas & wide_behind(runs, &c->power));
}

/* The places of the lowest 16 bits that are set, in order. */
WIDE_INLINE __m512i places(uint64_t mask)
{
    static const char counted[WIDE_BLOCK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    __m512i packed =
        _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(counted));

    return _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
}

/* 16 rows, whether they are there or not. */
WIDE_INLINE void put_rows(struct stretch *rows, __m512i starts, __m512i ends)
{
    __m512i lens = _mm512_sub_epi32(ends, starts);
    __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                    22, 7, 23);
    __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));

    _mm512_storeu_si512(rows, _mm512_permutex2var_epi32(starts, low, lens));
    _mm512_storeu_si512(rows + 8,
                        _mm512_permutex2var_epi32(starts, high, lens));
}

/* The mask without its lowest 16 bits. */
WIDE_INLINE uint64_t drop(uint64_t mask, unsigned count)
{
    return count > 16 ? mask & ~_bzhi_u64(UINT64_MAX, wide_nth(mask, 16)) : 0;
}

WIDE_INLINE void store_singles(struct wide_singles *singles, uint64_t starts,
                               uint64_t commas, uint32_t base)
{
    unsigned start_count = (unsigned)__builtin_popcountll(starts);
    unsigned comma_count = (unsigned)__builtin_popcountll(commas);
    uint32_t open = singles->open, has_open = singles->has_open;
    __m512i bases = _mm512_set1_epi32((int)base);
    struct stretch *rows = singles->rows;

    if (starts)
        singles->open = base + 63 - (uint32_t)__builtin_clzll(starts);
    singles->has_open += start_count - comma_count;
    singles->rows += comma_count;
    while (commas) {
        __m512i first = _mm512_add_epi32(places(starts), bases);
        __m512i ends = _mm512_add_epi32(places(commas), bases);

        /* The number at hand comes first. The 16th start is then the next
         * round's first. */
        first =
            _mm512_mask_expand_epi32(_mm512_set1_epi32((int)open),
                                     (__mmask16)(0xFFFFu << has_open), first);
        put_rows(rows, first, ends);
        rows += 16;
        if (comma_count <= 16)
            break;
        if (has_open)
            open = base + wide_nth(starts, 15);
        starts = drop(starts, start_count);
        commas = drop(commas, comma_count);
        start_count -= 16;
        comma_count -= 16;
    }
}

static const char *integers(struct text_scan *s, const char *text)
{
    return wide_numbers(s, text, false, look_integers, store_singles);
}

static const char *floats(struct text_scan *s, const char *text)
{
    return wide_numbers(s, text, true, look_floats, store_singles);
}

WIDE_INLINE uint64_t look_known(struct wide_walk *w, struct wide_found *found)
{
    __m512i block = _mm512_loadu_si512(w->at);

    /* What is right and not above a blank is white space. */
    return wide_look_known(
        w, found, equal(block, ','),
        _mm512_cmple_epu8_mask(block, _mm512_set1_epi8(' ')));
}

static const char *known(struct text_scan *s, const char *text)
{
    return wide_known(s, text, look_known, store_singles);
}

WIDE_INLINE void list_masks(const char *text, struct wide_list_masks *m)
{
    __m512i block = _mm512_loadu_si512(text);

    m->open = equal(block, '[');
    m->close = equal(block, ']');
    m->quote = equal(block, '"');
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    return wide_lists(text, end, depth, list_masks);
}

static char *flatten(const char *from, const char *end, char *out)
{
    for (; from < end; from += WIDE_BLOCK) {
        __m512i block = _mm512_loadu_si512(from);
        uint64_t keep =
            ~(spaces(block) | equal(block, '[') | equal(block, ']'));

        if (end - from < WIDE_BLOCK)
            keep = _bzhi_u64(keep, (unsigned)(end - from));
        if (keep != UINT64_MAX)
            block = _mm512_maskz_compress_epi8(keep, block);
        _mm512_storeu_si512(out, block);
        out += __builtin_popcountll(keep);
    }
    return out;
}

const struct wide wide_avx512 = {"avx512", integers, floats,
                                 known,    lists,    flatten};
