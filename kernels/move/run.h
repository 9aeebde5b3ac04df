/* The walk through a permutation that all movers in memory share: it finds
 * which rows go where, and hands them out in spans of at most a MiB. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/cancel.h"
#include "kernels/move/bits.h"
#include "kernels/move/columns.h"
#include "kernels/plan/permutation.h"
#include "kernels/simd/kernel_table.h"

struct move_walk {
    /* Set by the mover, the rest zeroed. */
    bool in_place; /* each pair of rows once; what stays is left out */
    struct cancel_check pace; /* its cancel flag */
    /* Moves a span: row i at b + i * b_step comes to a + i * a_step; in
     * place it is exchanged with the row there. */
    void (*move)(struct move_walk *walk, const struct move_rows *rows);
    /* Moves columns that stay in their places. False when cancelled. */
    bool (*columns)(struct move_walk *walk, const struct move_columns *c);
    /* Moves sequences from unit `at` on that stay in their places, less than
     * two MiB. May be NULL: they are moved as rows then. */
    void (*sequences)(struct move_walk *walk, size_t at,
                      const struct move_sequences *s);

    /* Set by the walk. */
    const struct permutation *m; /* borrowed */
    struct move_bits packing;    /* bits is 0 when units are bytes */
    size_t row;                  /* units in a row */
    int last_moving;             /* innermost axis that is not kept, or -1 */
    uint64_t len;                /* of the batch entry that is being walked */
};

/* Walks all rows of `m`, whose elements have `bits` bits. False when cancelled.
 * A packed element is the unit only where rows are not whole bytes. */
bool move_walk_run(struct move_walk *walk, const struct permutation *m,
                   unsigned bits, bool high_first);
