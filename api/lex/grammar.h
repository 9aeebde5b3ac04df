/* The grammar of lists of numbers on masks: bit i stands for byte i of a block
 * of 64. Plain C, so that it is the same for every way to get the masks.
 *
 * Each rule is one about what may stand behind what, so a carry from block to
 * block is one bit. A broken rule is a bit at or in front of the comma that
 * ends the number: of all commas below the lowest such bit, the numbers in
 * front are right.
 *
 * What is right but rare counts as broken: white space in front of a comma,
 * exponents without '-', unsigned numbers with one, runs of digits that might
 * be out of range of a float. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WIDE_INLINE static inline __attribute__((always_inline))

/* Classes of bytes; what is in none of them is no part of a list of numbers.
 * Integers have no point, exponent and plus. */
struct wide_masks {
    uint64_t digit, zero, minus, plus, point, exponent, comma, space;
};

/* From the last byte of the block before: 0 or 1 each, but for `digits`. */
struct wide_carry {
    uint64_t token, digit, exponent;
    uint64_t sign;            /* a '-' that starts a number */
    uint64_t lead;            /* a 0 that starts one */
    uint64_t fraction, power; /* the number had a point, an exponent */
    uint64_t digits;          /* all of the block before */
};

WIDE_INLINE uint64_t wide_behind(uint64_t mask, uint64_t *carry)
{
    uint64_t behind = mask << 1 | *carry;

    *carry = mask >> 63;
    return behind;
}

/* Adds marks that stand behind `marked` to the runs of `mask` that they start:
 * such a run gives way to one bit behind it. */
WIDE_INLINE uint64_t wide_flood(uint64_t marked, uint64_t mask, uint64_t *carry)
{
    uint64_t behind = wide_behind(marked, carry);
    unsigned long long sum;

    *carry |= __builtin_uaddll_overflow(behind, mask, &sum);
    return sum;
}

/* Shifts that make a run of `length` out of its parts, 1 to 32. */
struct wide_run {
    unsigned char shifts[5];
};

static inline struct wide_run wide_run_of(unsigned length)
{
    struct wide_run run = {{0}};
    unsigned has = 1;

    for (int i = 0; i < 5 && has < length; i++) {
        unsigned shift = has < length - has ? has : length - has;

        run.shifts[i] = (unsigned char)shift;
        has += shift;
    }
    return run;
}

/* Bits that end `length` set ones or more of this block. */
WIDE_INLINE uint64_t wide_runs(uint64_t mask, const struct wide_run *run)
{
    for (int i = 0; i < 5; i++)
        mask &= mask << run->shifts[i];
    return mask;
}

/* The same with the block before. */
WIDE_INLINE uint64_t wide_runs_across(uint64_t mask, uint64_t before,
                                      const struct wide_run *run)
{
    for (int i = 0; i < 5 && run->shifts[i] > 0; i++) {
        unsigned shift = run->shifts[i];

        mask &= mask << shift | before >> (64 - shift);
        before &= before << shift;
    }
    return mask;
}

/* What holds for both kinds. `token` is all bytes of numbers. */
WIDE_INLINE uint64_t wide_check(const struct wide_masks *m, uint64_t token,
                                uint64_t behind_exponent, struct wide_carry *c,
                                uint64_t *starts)
{
    uint64_t behind_token = wide_behind(token, &c->token);
    uint64_t behind_digit = wide_behind(m->digit, &c->digit);
    uint64_t sign = m->minus & ~behind_exponent;
    uint64_t behind_sign = wide_behind(sign, &c->sign);
    uint64_t lead = m->zero & (~behind_token | behind_sign);

    *starts = token & ~behind_token;
    return ~(token | m->comma | m->space) | (m->space & behind_token) |
           ((m->comma | m->point | m->exponent) & ~behind_digit) |
           (sign & behind_token) | (m->digit & wide_behind(lead, &c->lead));
}

/* `whole` is half the digits that must be looked at in front of a point: a
 * run of so many has that half in one block. */
WIDE_INLINE uint64_t wide_check_floats(const struct wide_masks *m,
                                       const struct wide_run *whole,
                                       struct wide_carry *c, uint64_t *starts)
{
    uint64_t behind_exponent = wide_behind(m->exponent, &c->exponent);
    uint64_t body = m->digit | m->minus | m->plus;
    uint64_t token = body | m->point | m->exponent;
    uint64_t wrong = wide_check(m, token, behind_exponent, c, starts);
    uint64_t sum = wide_flood(m->point, body, &c->fraction);

    wrong |= sum & m->point & ~body;
    wrong |= wide_runs(m->digit & sum, whole);
    wrong |= m->plus | (behind_exponent & ~m->minus);
    if (m->exponent | c->power) {
        sum = wide_flood(m->exponent, body, &c->power);
        wrong |= sum & (m->point | m->exponent);
    }
    return wrong;
}

/* *judge: commas behind numbers whose range is to be looked at. */
WIDE_INLINE uint64_t wide_check_integers(const struct wide_masks *m,
                                         const struct wide_run *unsafe,
                                         struct wide_carry *c, uint64_t *starts,
                                         uint64_t *judge)
{
    uint64_t wrong = wide_check(m, m->digit | m->minus, 0, c, starts);
    uint64_t runs = wide_runs_across(m->digit, c->digits, unsafe);

    *judge = m->comma & wide_behind(runs, &c->power);
    c->digits = m->digit;
    return wrong;
}
