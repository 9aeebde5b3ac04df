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
    check_lengths(check);
    REACHED();
}
