/* The loops over a permutation: they find which rows move where. move.c follows
 * the axes; ragged.c takes the last two at once where these are sequences with
 * lengths of their own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/move/mover.h"
#include "kernels/ops/permutation.h"

struct loops {
    struct mover mover;
    const struct permutation *permutation; /* borrowed */
    size_t row;                            /* units of a row */
    unsigned char *scratch;                /* borrowed; or NULL */
    int last_moving; /* innermost axis that is not kept, or -1 */
    uint64_t len;    /* of the batch entry at hand */
};

/* True if axis `index` is the batch axis, and it and the axis below it are
 * ragged columns: time-major sequences. */
bool loops_makes_columns(const struct loops *loops, int index);

/* Moves them, from row `a` of the tensor on. False when cancelled. */
bool loops_run_columns(struct loops *loops, uint64_t a);

/* Bytes of scratch memory with which the columns of the permutation move
 * fastest; 0 where there are none. */
size_t loops_scratch(const struct loops *loops);

/* The same for ragged rows: batch-major sequences. */
bool loops_makes_rows(const struct loops *loops, int index);
bool loops_run_rows(struct loops *loops, uint64_t a);
