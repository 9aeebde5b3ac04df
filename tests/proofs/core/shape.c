/* shape_count() and permutation_init(): where the elements of a shape of RANK
 * axes can be counted, no product overflows (the options of the proof make each
 * one a check) and the rows are as many. Each dim is below
 * LIMIT. */
#include "kernels/ops/permutation.c"
#include "tests/proofs/texts.h"

int main(void)
{
    struct shape shape = {.rank = RANK};
    struct permutation p;
    struct status st = {0};
    uint64_t count;
    bool empty = false, done;

    for (int i = 0; i < RANK; i++) {
        shape.dims[i] = (int64_t)any_below(LIMIT);
        empty = empty || shape.dims[i] == 0;
    }
    done = shape_count(&shape, "", &count, &st);
    CHECK(done || st.code == STATUS_INVALID);
    CHECK(!empty || (done && count == 0));
    CHECK(!done || count <= INT64_MAX);
    if (done) {
        permutation_init(&p, &shape, nondet_bool());
        CHECK(p.row_count == count && p.row == 1 && p.rank == RANK);
        for (int i = 0; i < RANK; i++)
            CHECK(empty || (p.axes[i].stride > 0 && p.axes[i].stride <= count));
    }
    REACHED();
}
