/* What the harnesses share. A harness is a main() with symbolic values, which
 * calls the real code, checks the result and ends with REACHED(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Symbolic values: CBMC takes any value for a function of such a name. */
size_t nondet_size(void);
int64_t nondet_int64(void);
unsigned char nondet_byte(void);
bool nondet_bool(void);
double nondet_double(void);

#define ASSUME(condition) __CPROVER_assume(condition)
#define CHECK(condition) __CPROVER_assert(condition, #condition)

/* Byte `at` of data[] is still as in before[]. */
#define CHECK_KEPT(at)                                                         \
    do {                                                                       \
        const size_t at_ = (at);                                               \
                                                                               \
        CHECK(data[at_] == before[at_]);                                       \
    } while (0)

/* The end of main(). run.py wants this to fail, as the only check: a proof
 * whose assumptions contradict each other would prove anything. */
#define REACHED() __CPROVER_assert(false, "reached")

/* Any number below `limit`, which is not 0. */
static inline size_t any_below(size_t limit)
{
    size_t any = nondet_size();

    ASSUME(any < limit);
    return any;
}

/* Any length of a sequence of `rows` rows. */
static inline int64_t any_length(size_t rows)
{
    return (int64_t)any_below(rows + 1);
}
