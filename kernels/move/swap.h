/* The swap mover: carries out a permutation in place. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "kernels/core/dtype.h"
#include "kernels/plan/permutation.h"

/* Swaps rows inside `data`, which holds m->row_count rows of m->row elements
 * of `bits` bits (1, 2 or 4 with the packing `high_first`, or 8 to 128).
 *
 * `data` needs no alignment. What the permutation does not move is not written,
 * but for the neighbours in a byte of packed elements. The bits after the last
 * packed element are left as they are. `cancel` may be NULL; it is looked at
 * about once a MiB, and when it is set the mover stops and returns false, with
 * the data half moved. Any thread; one at a time for the same data. */
bool move_swap(const struct permutation *m, unsigned bits, bool high_first,
               void *data, const atomic_bool *cancel);
