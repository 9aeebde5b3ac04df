/* What the operators' harnesses share: a call whose every value is symbolic. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "kernels/core/tensor.h"
#define SHAPE_MAX_RANK 4 /* a smaller struct is proven faster */
#include "kernels/ops/op.h"
#include "tests/proofs/texts.h"

/* What the control input holds at most. */
enum { MOST_ENTRIES = 2 };

static int64_t integers[MOST_ENTRIES];
static bool readable[MOST_ENTRIES];

/* By contract: core/tensor.c proves the numbers. */
bool tensor_integer(const struct tensor *tensor, uint64_t index, int64_t *value,
                    struct status *st)
{
    enum dtype_kind kind = dtype_info(tensor->dtype)->kind;

    CHECK(kind == DTYPE_KIND_INT || kind == DTYPE_KIND_UINT ||
          kind == DTYPE_KIND_FLOAT);
    CHECK(dtype_info(tensor->dtype)->bits >= 8);
    CHECK((int64_t)index < tensor->shape.dims[0]);
    *value = integers[index];
    if (!readable[index])
        st->code = STATUS_INVALID;
    return readable[index];
}

/* Any shape of RANK axes, and what permutation_init() makes of it, by contract:
 * core/shape.c proves the counts. */
static inline void any_shape(struct shape *shape, struct permutation *p)
{
    bool empty = false;

    *p = (struct permutation){.rank = RANK,
                              .is_mirrored = nondet_bool(),
                              .batch_axis = -1,
                              .row = 1,
                              .row_count = nondet_size()};
    shape->rank = RANK;
    for (int i = 0; i < RANK; i++) {
        shape->dims[i] = nondet_int64();
        ASSUME(shape->dims[i] >= 0);
        p->axes[p->is_mirrored ? RANK - 1 - i : i].extent =
            (uint64_t)shape->dims[i];
        empty = empty || shape->dims[i] == 0;
    }
    ASSUME(empty == (p->row_count == 0));
}

/* A control input of up to MOST_ENTRIES entries. */
static inline void any_control(struct tensor *control)
{
    for (int i = 0; i < MOST_ENTRIES; i++) {
        integers[i] = nondet_int64();
        readable[i] = nondet_bool();
    }
    control->name = "control";
    control->dtype = (enum dtype)any_below(DTYPE_COUNT);
    control->shape.rank = (int)any_below(3);
    for (int i = 0; i < 2; i++)
        control->shape.dims[i] = (int64_t)any_below(MOST_ENTRIES + 1);
    control->data = malloc(MOST_ENTRIES); /* any contents */
    ASSUME(control->data);
}
