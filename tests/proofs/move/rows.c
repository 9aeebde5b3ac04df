/* move_swap() and move_copy() over the contracts of token.h: a permutation in
 * loop order whose axes have EXTENTS entries, strides of STRIDES rows and MAPS,
 * the batch axis being BATCH or -1; a row has ROW elements of BITS bits. All
 * lengths, all ways to be cancelled. */
#define BYTES ((UNITS * BITS + 7) / 8)
#include "tests/proofs/move/token.h"

#include <string.h>
#define memcpy token_memcpy
#include "kernels/move/move.c"
#undef memcpy

enum { K = PERMUTATION_KEEP, F = PERMUTATION_FLIP, L = PERMUTATION_FLIP_LENS };

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
}

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

static void check(const struct permutation *p)
{
    const struct element_format format = {BITS, HIGH_FIRST};
    bool are_bytes = BITS >= 8 || ROW * BITS % 8 == 0, done;
    size_t row = are_bytes ? ROW * BITS / 8 : ROW;

    unit_bits = are_bytes ? 8 : BITS;
    units = row * p->row_count;
    origin = any_below(units);
    in_place_call = !COPY;
    token = COPY ? NOWHERE : origin;
    tested = cancelled = false;
    CHECK(move_scratch(p, format) <= units);
    done =
        COPY ? move_copy(p, format, from_bytes, to_bytes, scratch_bytes, &flag)
             : move_swap(p, format, to_bytes, scratch_bytes, &flag);
    CHECK(done == !cancelled);
    CHECK(!done || token == target_of(p, row, origin));
}

int main(void)
{
    struct permutation p = {.rank = RANK,
                            .batch_axis = BATCH,
                            .row = ROW,
                            .row_count = UNITS / ROW};
    size_t cases = 1;

    for (int i = 0; i < RANK; i++)
        p.axes[i] = (struct permutation_axis){maps[i], extents[i], strides[i],
                                              flips[i]};
    p.lens = BATCH < 0 ? NULL : lens;
    /* Lengths that decide which rows are paired are taken one by one. */
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
    REACHED();
}
