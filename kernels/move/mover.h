/* A mover: the memory of a permutation and the kernels that move rows in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/cancel.h"
#include "kernels/core/dtype.h"
#include "kernels/simd/kernel_table.h"

/* The cost of reaching the innermost axis, as the bytes that could be moved in
 * that time. It is counted, so that many short or unchanged spans are too. */
enum { MOVER_SPAN_COST = 64 };

/* All offsets are in units: bytes, or packed elements where rows are not whole
 * bytes. */
struct mover {
    const unsigned char *from;          /* borrowed */
    unsigned char *to;                  /* borrowed; `from` in place */
    size_t total;                       /* bytes of each */
    const struct kernel_table *kernels; /* borrowed */
    struct element_format packed;       /* bits is 0 where units are bytes */
    struct cancel_check cancel;
};

/* True if each pair of rows is exchanged once, and unchanged rows are left out.
 */
static inline bool mover_in_place(const struct mover *mover)
{
    return mover->from == mover->to;
}

/* Moves rows: row i at b + i * b_step becomes row i at a + i * a_step; in place
 * the two are exchanged. At most a MiB at a time. False when cancelled. */
bool mover_move(struct mover *mover, const struct strided_rows *rows);

/* Moves sequences that start at unit `at`; those of one call have about a MiB.
 * False when cancelled. */
bool mover_move_ragged_rows(struct mover *mover, size_t at,
                            const struct ragged_rows *rows);
