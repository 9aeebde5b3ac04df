/* The movers: carry out a permutation, in place or from one tensor to another.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "kernels/core/dtype.h"
#include "kernels/plan/permutation.h"

/* Swaps rows inside `data`, which holds p->row_count rows of p->row elements.
 *
 * `data` needs no alignment. Bytes that the permutation does not move are not
 * written, but for neighbours in a byte of packed elements. The bits after the
 * last packed element are left as they are.
 *
 * Returns false if `cancel` (may be NULL) is set meanwhile; the data is then
 * half moved. See core/cancel.h. Any thread; one at a time for the same data.
 */
bool move_swap(const struct permutation *p, struct element_format format,
               void *data, const atomic_bool *cancel);

/* As move_swap(), from `from` to `to`, which do not overlap. Writes the whole
 * result; the bits after the last packed element become 0. */
bool move_copy(const struct permutation *p, struct element_format format,
               const void *from, void *to, const atomic_bool *cancel);
