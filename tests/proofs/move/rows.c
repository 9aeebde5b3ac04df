/* move_swap() and move_copy() of a case over the contracts of token.h, for all
 * lengths and all ways to be cancelled. */
#include "tests/proofs/move/case.h"

#define BYTES ((UNITS * BITS + 7) / 8)
#include "tests/proofs/move/token.h"

#include <string.h>
#define memcpy token_memcpy
#include "kernels/move/move.c"
#undef memcpy

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
    struct permutation p = permutation_of_case();
    size_t cases = 1;

    any_lengths();
    /* Lengths that decide which rows are paired are taken one by one. */
    for (size_t b = 0; EACH && b < extents[BATCH]; b++)
        cases *= LONGEST + 1;
    for (size_t n = 0; n < cases; n++) {
        for (size_t b = 0, rest = n; EACH && b < extents[BATCH]; b++) {
            lens[b] = rest % (LONGEST + 1);
            rest /= LONGEST + 1;
        }
        check(&p);
    }
    REACHED();
}
