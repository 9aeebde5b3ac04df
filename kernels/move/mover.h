/* A mover: its callbacks, which swap.c and copy.c provide, and the state that
 * it shares with the loops over a permutation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/cancel.h"
#include "kernels/core/dtype.h"
#include "kernels/move/columns/columns_args.h"
#include "kernels/plan/permutation.h"
#include "kernels/simd/kernel_table.h"

/* The cost of reaching the innermost axis, as the bytes that could be moved in
 * that time. It is counted, so that many short or unchanged spans are too. */
enum { MOVER_SPAN_COST = 64 };

/* The mover sets the first group, the rest is zeroed. All offsets are in units:
 * bytes, or packed elements where rows are not whole bytes. */
struct mover {
    bool in_place; /* each pair of rows once; unchanged rows are left out */
    struct cancel_check cancel; /* with the caller's flag */

    /* Moves rows: row i at b + i * b_step becomes row i at a + i * a_step; in
     * place the two are exchanged. */
    void (*move)(struct mover *mover, const struct strided_rows *rows);

    /* Moves the columns `args`, which start at unit `at` of both the source
     * and the target. The mover sets the addresses and the kernels. False when
     * cancelled. */
    bool (*move_columns)(struct mover *mover, size_t at,
                         struct columns_args *args);

    /* Moves sequences that start at unit `at` of both, less than two MiB. May
     * be NULL: they are then moved as rows. */
    void (*move_ragged_rows)(struct mover *mover, size_t at,
                             const struct ragged_rows *rows);

    /* Set by permutation_loops_run(). */
    const struct permutation *permutation; /* borrowed */
    struct element_format packed;          /* bits is 0 where units are bytes */
    size_t row;                            /* units of a row */
    int last_moving; /* innermost axis that is not kept, or -1 */
    uint64_t len;    /* of the batch entry at hand */
};

/* Hands rows to the mover, at most a MiB at a time. False when cancelled. */
bool mover_move(struct mover *mover, const struct strided_rows *rows);
