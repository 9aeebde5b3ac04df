/* Classification of a block of a list of numbers with AVX-512. Included by the
 * files for AVX-512 only. */
#pragma once

#include <immintrin.h>

#include "api/lex/block.h"

LEX_INLINE uint64_t equal(__m512i block, char byte)
{
    return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte));
}

LEX_INLINE uint64_t spaces(__m512i block)
{
    return equal(block, ' ') | equal(block, '\n') | equal(block, '\r') |
           equal(block, '\t');
}

static const char byte_indexes[JSON_SIMD_BLOCK] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* Most of the grammar is about pairs of bytes: the class of a byte is one bit,
 * and each byte has a set of the classes that may follow it. The sets admit
 * white space after commas only and '-' as the only sign of an exponent, since
 * other text is rare. */
enum {
    DIGIT = 1,
    COMMA = 2,
    POINT = 4,
    EXPONENT = 8,
    MINUS = 16,
    SPACE = 32,
    PAIR = 63,
    SECOND = 64, /* a digit; follows: the byte before is a 0 */
    LEAD = 128,  /* a 0; follows: the byte before may precede a first digit */
    COMMON = DIGIT | COMMA | POINT | MINUS,
};

#define AFTER_DIGIT (DIGIT | COMMA | POINT | EXPONENT)
#define AFTER_COMMA (DIGIT | MINUS | SPACE | LEAD)
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
    ['0'] = AFTER_DIGIT | SECOND,
    ['1'] = AFTER_DIGIT,
    ['2'] = AFTER_DIGIT,
    ['3'] = AFTER_DIGIT,
    ['4'] = AFTER_DIGIT,
    ['5'] = AFTER_DIGIT,
    ['6'] = AFTER_DIGIT,
    ['7'] = AFTER_DIGIT,
    ['8'] = AFTER_DIGIT,
    ['9'] = AFTER_DIGIT,
    [','] = AFTER_COMMA,
    ['.'] = DIGIT,
    ['e'] = MINUS,
    ['E'] = MINUS,
    ['-'] = DIGIT | LEAD,
    [' '] = AFTER_COMMA,
    ['\n'] = AFTER_COMMA,
    ['\r'] = AFTER_COMMA,
    ['\t'] = AFTER_COMMA,
    ['['] = AFTER_COMMA,
};

LEX_INLINE __m512i look_up(const unsigned char table[128], __m512i block)
{
    return _mm512_permutex2var_epi8(
        _mm512_loadu_si512(table), block,
        _mm512_loadu_si512(table + JSON_SIMD_BLOCK));
}

LEX_INLINE uint64_t any(__m512i kind, char bits)
{
    __m512i wanted = _mm512_set1_epi8(bits);

    /* Keeps the constant in a register; gcc 12 rebuilds it for each block. */
    __asm__("" : "+v"(wanted));
    return _mm512_test_epi8_mask(kind, wanted);
}

struct pairs {
    __m512i kind;
    uint64_t wrong, digit, lead;
};

LEX_INLINE struct pairs classify_pairs(struct block_walk *w,
                                       struct block_tokens *found)
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
    found->starts = token & ~grammar_next(token, &w->carry.token);
    return pairs;
}

LEX_INLINE uint64_t classify_floats(struct block_walk *w,
                                    struct block_tokens *found)
{
    struct pairs pairs = classify_pairs(w, found);
    struct grammar_carry *c = &w->carry;
    uint64_t point = any(pairs.kind, POINT);
    uint64_t exponent = any(pairs.kind, EXPONENT);
    uint64_t body = ~(point | exponent | found->commas);
    uint64_t sum = grammar_add_carry(point, body, &c->fraction);
    uint64_t whole = sum & body;

    pairs.wrong |= sum & point;
    if (exponent | c->exponent | c->power) {
        /* A 0 after an exponent's '-' starts no number. */
        pairs.lead &= ~(exponent << 2 | c->exponent);
        c->exponent = exponent >> 62;
        sum = grammar_add_carry(exponent, body, &c->power);
        pairs.wrong |= sum & (point | exponent);
    }
    pairs.wrong |= pairs.digit & grammar_next(pairs.lead, &c->lead);
    /* Only runs of three digits or more can be out of range. */
    whole &= whole << 1;
    if (whole & whole << 1)
        pairs.wrong |= grammar_runs(pairs.digit & sum, &w->run);
    return pairs.wrong;
}

LEX_INLINE uint64_t classify_integers(struct block_walk *w,
                                      struct block_tokens *found)
{
    struct pairs pairs = classify_pairs(w, found);
    struct grammar_carry *c = &w->carry;
    uint64_t runs = grammar_runs_across(pairs.digit, c->digits, &w->run);

    c->digits = pairs.digit;
    pairs.wrong |= pairs.digit & grammar_next(pairs.lead, &c->lead);
    pairs.wrong |=
        any(pairs.kind, w->s->range.least == 0 ? POINT | EXPONENT | MINUS
                                               : POINT | EXPONENT);
    return block_check_range(w, pairs.wrong,
                             found->commas & grammar_next(runs, &c->power));
}
