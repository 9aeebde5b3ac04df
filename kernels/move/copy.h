/* The copy mover: carries out a permutation from one tensor to another. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "kernels/core/dtype.h"
#include "kernels/plan/permutation.h"

/* As move_swap(), from `from` to `to`, which do not overlap. Writes the whole
 * result; the bits after the last packed element become 0. */
bool move_copy(const struct permutation *p, struct element_format format,
               const void *from, void *to, const atomic_bool *cancel);
