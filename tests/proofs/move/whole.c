/* move_swap() and move_copy() of a case with nothing replaced: all of
 * kernels/move over the generic kernels. All contents and lengths; every
 * element of the result is that of the permutation, and the bits behind the
 * last stay. */
#include <string.h>

#include "tests/proofs/move/case.h"

#include "kernels/core/cancel.h"
#include "kernels/move/move.h"
#include "kernels/simd/kernel_table.h"
#include "tests/proofs/move/elements.h"

enum { BYTES = (UNITS * BITS + 7) / 8 };

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

static void check(const struct permutation *p)
{
    const struct element_format format = {BITS, HIGH_FIRST};
    unsigned char from[BYTES], to[BYTES], before[BYTES], scratch[SCRATCH];
    size_t row = BITS < 8 ? ROW : ROW * BITS / 8, units = row * p->row_count;
    size_t at = any_below(BITS < 8 ? BYTES * 8 / BITS : BYTES);
    unsigned is, was;

    memcpy(before, to, BYTES);
    CHECK(move_scratch(p, format) <= SCRATCH);
    CHECK(COPY ? move_copy(p, format, from, to, scratch, NULL)
               : move_swap(p, format, to, scratch, NULL));
    is = unit(to, at);
    was = unit(before, at);
    if (at < units)
        was = unit(COPY ? from : before, target_of(p, row, at));
    CHECK(is == was);
}

int main(void)
{
    check_lengths(check);
    REACHED();
}
