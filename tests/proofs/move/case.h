/* The permutation of a run, in loop order: RANK axes that have EXTENTS entries,
 * STRIDES of rows, MAPS and FLIPS, the batch axis being BATCH or -1; a row has
 * ROW elements of BITS bits, the tensor UNITS elements. */
#pragma once

#include "kernels/ops/permutation.h"
#include "tests/proofs/harness.h"

enum { K = PERMUTATION_KEEP, F = PERMUTATION_FLIP, L = PERMUTATION_FLIP_LENS };

static const uint64_t extents[] = {EXTENTS}, strides[] = {STRIDES},
                      flips[] = {FLIPS};
static const enum permutation_map maps[] = {MAPS};
static int64_t lens[8];

/* Where unit `unit` of the input is in the result: the permutation is its own
 * inverse. */
static size_t target_of(const struct permutation *p, size_t row, size_t unit)
{
    size_t rest = unit / row, target = unit % row;
    size_t at[4];

    for (int i = 0; i < p->rank; i++)
        at[i] = rest / strides[i] % extents[i];
    for (int i = 0; i < p->rank; i++) {
        size_t first = maps[i] == F   ? flips[i]
                       : maps[i] == L ? (size_t)lens[at[BATCH < 0 ? 0 : BATCH]]
                                      : 0;

        target +=
            (at[i] < first ? first - 1 - at[i] : at[i]) * strides[i] * row;
    }
    return target;
}

static struct permutation permutation_of_case(void)
{
    struct permutation p = {.rank = RANK,
                            .batch_axis = BATCH,
                            .row = ROW,
                            .row_count = UNITS / ROW};
    for (int i = 0; i < RANK; i++)
        p.axes[i] = (struct permutation_axis){maps[i], extents[i], strides[i],
                                              flips[i]};
    p.lens = BATCH < 0 ? NULL : lens;
    return p;
}

/* Calls check() for any lengths up to LONGEST, the extent of their axis; with
 * EACH, for all of them one by one. */
static void check_lengths(void (*check)(const struct permutation *))
{
    const struct permutation p = permutation_of_case();
    size_t cases = 1;

    for (size_t b = 0; BATCH >= 0 && b < extents[BATCH]; b++) {
        lens[b] = any_length(LONGEST);
        cases *= EACH ? LONGEST + 1 : 1;
    }
    for (size_t n = 0; n < cases; n++) {
        for (size_t b = 0, rest = n; EACH && b < extents[BATCH]; b++) {
            lens[b] = rest % (LONGEST + 1);
            rest /= LONGEST + 1;
        }
        check(&p);
    }
}

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
}
