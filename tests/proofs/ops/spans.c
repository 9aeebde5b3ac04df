/* permutation_of_spans(): the same axes and lengths, of rows of one element. */
#include "kernels/core/tensor.h"
#define SHAPE_MAX_RANK 4 /* a smaller struct is proven faster */
#include "kernels/ops/permutation.c"
#include "tests/proofs/harness.h"
#include "tests/proofs/texts.h"

int main(void)
{
    static int64_t lens[1];
    struct permutation p, spans;
    size_t i = any_below(RANK);

    p.rank = RANK;
    p.is_mirrored = nondet_bool();
    p.lens = lens;
    permutation_of_spans(&p, &spans);
    CHECK(spans.rank == RANK && spans.is_mirrored == p.is_mirrored &&
          spans.batch_axis == p.batch_axis && spans.lens == lens);
    CHECK(spans.row == 1 && spans.row_count == p.row_count);
    CHECK(spans.axes[i].map == p.axes[i].map &&
          spans.axes[i].extent == p.axes[i].extent &&
          spans.axes[i].stride == p.axes[i].stride &&
          spans.axes[i].flips == p.axes[i].flips);
    REACHED();
}
