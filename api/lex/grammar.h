/* The grammar of lists of numbers as arithmetic on masks: bit i stands for byte
 * i of a block of 64. Plain C, the same for every instruction set.
 *
 * Each rule says which bytes may follow which, so one bit a rule carries over
 * from block to block. A violation sets a bit at or before the comma that ends
 * the number: numbers that end at commas below the lowest violation are valid.
 *
 * Valid but rare text counts as a violation and is left to the byte-by-byte
 * code: white space before a comma, an exponent without '-', '-' in unsigned
 * numbers, runs of digits that may be out of range of a float. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LEX_INLINE static inline __attribute__((always_inline))

/* Classes of bytes. A byte in no class is no part of a list of numbers. Lists
 * of integers have no point and exponent. */
struct grammar_masks {
    uint64_t digit, zero, minus, point, exponent, comma, space;
};

/* State at the last byte of the block before: 0 or 1 each, except `digits`. */
struct grammar_carry {
    uint64_t token, digit, exponent;
    uint64_t lead;            /* a 0 after no digit */
    uint64_t fraction, power; /* the number had a point, an exponent */
    uint64_t digits;          /* the digit mask of the whole block before */
};

/* The bytes that follow the bytes of `mask`. */
LEX_INLINE uint64_t grammar_next(uint64_t mask, uint64_t *carry)
{
    uint64_t next = mask * 2 + *carry;

    *carry = mask >> 63;
    return next;
}

/* Marks the runs of `mask` that start after a byte of `marked`. Adding the mark
 * at its first bit clears such a run and sets the bit after it. */
LEX_INLINE uint64_t grammar_add_carry(uint64_t marked, uint64_t mask,
                                      uint64_t *carry)
{
    uint64_t next = grammar_next(marked, carry);
    unsigned long long sum;

    *carry |= __builtin_uaddll_overflow(next, mask, &sum);
    return sum;
}

/* Shifts that find runs of a given length, 1 to 32, by doubling. */
struct grammar_run {
    unsigned char shifts[5];
};

static inline struct grammar_run grammar_run_of(unsigned length)
{
    struct grammar_run run = {{0}};
    unsigned has = 1;

    for (int i = 0; i < 5 && has < length; i++) {
        unsigned shift = has < length - has ? has : length - has;

        run.shifts[i] = (unsigned char)shift;
        has += shift;
    }
    return run;
}

/* Bits that end a run of at least that length within this block. */
LEX_INLINE uint64_t grammar_runs(uint64_t mask, const struct grammar_run *run)
{
    for (int i = 0; i < 5; i++)
        mask &= mask << run->shifts[i];
    return mask;
}

/* The same for runs that may begin in the block before. */
LEX_INLINE uint64_t grammar_runs_across(uint64_t mask, uint64_t before,
                                        const struct grammar_run *run)
{
    for (int i = 0; i < 5 && run->shifts[i] > 0; i++) {
        unsigned shift = run->shifts[i];

        mask &= mask << shift | before >> (64 - shift);
        before &= before << shift;
    }
    return mask;
}

/* The rules for integers and floats alike. `token` has all bytes of numbers,
 * `whole` the digits before points and exponents, `after_exponent` the bytes
 * that follow an exponent. Returns the violations. */
LEX_INLINE uint64_t grammar_check(const struct grammar_masks *m, uint64_t token,
                                  uint64_t whole, uint64_t after_exponent,
                                  struct grammar_carry *c)
{
    uint64_t after_token = grammar_next(token, &c->token);
    uint64_t after_digit = grammar_next(m->digit, &c->digit);
    uint64_t lead = m->zero & ~after_digit;

    return ~(token | m->comma | m->space) |
           ((m->space | (m->minus & ~after_exponent)) & after_token) |
           ((m->comma | m->point | m->exponent) & ~after_digit) |
           (whole & grammar_next(lead, &c->lead));
}

/* The digits of `whole` of which so many in a row make a number suspect. Only
 * three or more do, and few numbers have as many before the point. */
LEX_INLINE uint64_t grammar_suspects(uint64_t whole,
                                     const struct grammar_run *suspect)
{
    uint64_t two = whole & whole << 1;

    return two & two << 1 ? grammar_runs(whole, suspect) : 0;
}

/* The rules for floats; `exponent`: there are exponents, or have been.
 * `suspect` is a run of half the digits before a point that may be out of
 * range: of so many, half of them stand in one block. */
LEX_INLINE uint64_t grammar_check_floats(const struct grammar_masks *m,
                                         const struct grammar_run *suspect,
                                         struct grammar_carry *c, bool exponent)
{
    uint64_t after = exponent ? grammar_next(m->exponent, &c->exponent) : 0;
    uint64_t body = m->digit | m->minus;
    uint64_t fraction = grammar_add_carry(m->point, body, &c->fraction);
    uint64_t power =
        exponent ? grammar_add_carry(m->exponent, body, &c->power) : UINT64_MAX;
    uint64_t whole = m->digit & fraction & power;
    uint64_t wrong =
        grammar_check(m, body | m->point | m->exponent, whole, after, c);

    wrong |= (fraction & m->point) | grammar_suspects(whole, suspect);
    if (exponent)
        wrong |= (after & ~m->minus) | (power & (m->point | m->exponent));
    return wrong;
}

/* *suspects gets the commas after numbers of `unsafe` or more digits, whose
 * range is still to be checked. */
LEX_INLINE uint64_t grammar_check_integers(const struct grammar_masks *m,
                                           const struct grammar_run *unsafe,
                                           struct grammar_carry *c,
                                           uint64_t *suspects)
{
    uint64_t wrong = grammar_check(m, m->digit | m->minus, m->digit, 0, c);
    uint64_t runs = grammar_runs_across(m->digit, c->digits, unsafe);

    *suspects = m->comma & grammar_next(runs, &c->power);
    c->digits = m->digit;
    return wrong;
}
