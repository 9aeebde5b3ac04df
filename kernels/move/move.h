/* The movers: carry out a permutation, in place or from one tensor to another.
 * And the only arithmetic on elements, scaling by a coefficient. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/dtype.h"
#include "kernels/ops/permutation.h"

/* Bytes of scratch memory that the two functions below work in: of columns of
 * small entries at most 8 MiB, which is no more than twice the data where that
 * is much; 0 for every other permutation. */
size_t move_scratch(const struct permutation *p, struct element_format format);

/* Swaps rows inside `data`, which holds p->row_count rows of p->row elements.
 *
 * `scratch` has move_scratch() bytes, of any alignment and contents; with NULL
 * columns move more slowly.
 *
 * `data` needs no alignment. Bytes that the permutation does not move are not
 * written, but for neighbours in a byte of packed elements. The bits after the
 * last packed element stay as they are.
 *
 * Returns false if `cancel` (may be NULL) is set meanwhile; the data is then
 * half moved. See core/cancel.h. Any thread; one at a time for the same data.
 */
bool move_swap(const struct permutation *p, struct element_format format,
               void *data, void *scratch, const atomic_bool *cancel);

/* As move_swap(), from `from` to `to`, which do not overlap. Writes the whole
 * result. */
bool move_copy(const struct permutation *p, struct element_format format,
               const void *from, void *to, void *scratch,
               const atomic_bool *cancel);

/* Multiplies `bytes` bytes of elements in place by `coefficient`. `dtype` is
 * one for which dtype_is_scalable() is true. FP64 and COMPLEX128 are multiplied
 * in double; all others in float, the coefficient rounded to float first, FP16
 * and BF16 rounded once at the end. Complex numbers scale both parts. `data`
 * needs no alignment; `cancel` as in move_swap(). */
bool scale_run(enum dtype dtype, void *data, size_t bytes, double coefficient,
               const atomic_bool *cancel);
