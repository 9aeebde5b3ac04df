/* How AVX-512 looks at a block of a list of numbers. Compiled into the AVX-512
 * levels only. */
#pragma once

#include <immintrin.h>

#include "api/lex/block_walk.h"

WIDE_INLINE uint64_t equal(__m512i block, char byte)
{
    return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte));
}

WIDE_INLINE uint64_t spaces(__m512i block)
{
    return equal(block, ' ') | equal(block, '\n') | equal(block, '\r') |
           equal(block, '\t');
}

static const char counted[JSON_SIMD_BLOCK] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

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
    PAIR = 63,
    SECOND = 64, /* a digit behind a 0 */
    LEAD = 128,  /* a 0; what starts a number or its digits may be in front */
    USUAL = DIGIT | COMMA | POINT | MINUS,
};

#define BEHIND_DIGIT (DIGIT | COMMA | POINT | EXPONENT)
#define BEHIND_COMMA (DIGIT | MINUS | SPACE | LEAD)
#define ANY_DIGIT (DIGIT | SECOND)

static const unsigned char kinds[128] = {
    ['0'] = ANY_DIGIT | LEAD,
    ['1'] = ANY_DIGIT,
    ['2'] = ANY_DIGIT,
    ['3'] = ANY_DIGIT,
    ['4'] = ANY_DIGIT,
    ['5'] = ANY_DIGIT,
    ['6'] = ANY_DIGIT,
    ['7'] = ANY_DIGIT,
    ['8'] = ANY_DIGIT,
    ['9'] = ANY_DIGIT,
    [','] = COMMA,
    ['.'] = POINT,
    ['e'] = EXPONENT,
    ['E'] = EXPONENT,
    ['-'] = MINUS,
    [' '] = SPACE,
    ['\n'] = SPACE,
    ['\r'] = SPACE,
    ['\t'] = SPACE,
};

static const unsigned char followers[128] = {
    ['0'] = BEHIND_DIGIT | SECOND,
    ['1'] = BEHIND_DIGIT,
    ['2'] = BEHIND_DIGIT,
    ['3'] = BEHIND_DIGIT,
    ['4'] = BEHIND_DIGIT,
    ['5'] = BEHIND_DIGIT,
    ['6'] = BEHIND_DIGIT,
    ['7'] = BEHIND_DIGIT,
    ['8'] = BEHIND_DIGIT,
    ['9'] = BEHIND_DIGIT,
    [','] = BEHIND_COMMA,
    ['.'] = DIGIT,
    ['e'] = MINUS,
    ['E'] = MINUS,
    ['-'] = DIGIT | LEAD,
    [' '] = BEHIND_COMMA,
    ['\n'] = BEHIND_COMMA,
    ['\r'] = BEHIND_COMMA,
    ['\t'] = BEHIND_COMMA,
    ['['] = BEHIND_COMMA,
};

WIDE_INLINE __m512i look_up(const unsigned char table[128], __m512i block)
{
    return _mm512_permutex2var_epi8(
        _mm512_loadu_si512(table), block,
        _mm512_loadu_si512(table + JSON_SIMD_BLOCK));
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
    found->spaces = any(kind, SPACE);
    token = ~(found->commas | found->spaces);
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
