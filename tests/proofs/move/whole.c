/* move_swap() and move_copy() of a case with nothing replaced: all of
 * kernels/move over the generic kernels. All contents and lengths; every
 * element of the result is that of the permutation, and every bit beside them
 * stays. */
#include <string.h>

#include "tests/proofs/move/case.h"

#include "kernels/core/cancel.h"
#include "kernels/move/move.h"
#include "kernels/simd/kernel_table.h"
#include "tests/proofs/move/elements.h"

enum { DATA = (UNITS * BITS + 7) / 8, TOTAL = GUARD + DATA + GUARD };

const struct kernel_table *kernel_table_active(void)
{
    return &kernel_table_generic;
}

bool cancel_requested(const atomic_bool *flag)
{
    return flag && *flag;
}

/* Unit `at` of `data`: a byte, or an element where they are packed. */
static unsigned unit(const unsigned char *data, size_t at)
{
    return BITS < 8 ? element(data, at) : data[at];
}

int main(void)
{
    const struct element_format format = {BITS, HIGH_FIRST};
    struct permutation p = permutation_of_case();
    unsigned char from[TOTAL], to[TOTAL], before[TOTAL], scratch[SCRATCH];
    size_t row = BITS < 8 ? ROW : ROW * BITS / 8, units = row * p.row_count;
    size_t guard = BITS < 8 ? GUARD * 8 / BITS : GUARD;
    size_t at = any_below(BITS < 8 ? TOTAL * 8 / BITS : TOTAL);
    unsigned is, was;

    any_lengths();
    memcpy(before, to, TOTAL);
    CHECK(move_scratch(&p, format) <= SCRATCH);
    CHECK(COPY ? move_copy(&p, format, from + GUARD, to + GUARD, scratch, NULL)
               : move_swap(&p, format, to + GUARD, scratch, NULL));
    is = unit(to, at);
    was = unit(before, at);
    if (at >= guard && at - guard < units)
        was =
            unit(COPY ? from : before, guard + target_of(&p, row, at - guard));
    CHECK(is == was);
    REACHED();
}
