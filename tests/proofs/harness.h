/* What the harnesses share. A harness is a main() with symbolic values, which
 * calls the real code, checks the result and ends with REACHED(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes before and behind a tensor that must stay as they are. */
enum { GUARD = 16 };

/* Symbolic values: CBMC takes any value for a function of such a name. */
size_t nondet_size(void);
int64_t nondet_int64(void);
unsigned char nondet_byte(void);
bool nondet_bool(void);

#define ASSUME(condition) __CPROVER_assume(condition)
#define CHECK(condition) __CPROVER_assert(condition, #condition)

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

/* Byte i of the result is byte source[i] of what was there before; at first
 * each byte stays. */
static inline void source_of_all(size_t *source, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        source[i] = i;
}

/* The bytes of two rows change places. */
static inline void source_swap(size_t *source, size_t a, size_t b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t other = source[a + i];

        source[a + i] = source[b + i];
        source[b + i] = other;
    }
}
