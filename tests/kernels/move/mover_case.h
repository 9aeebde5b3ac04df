/* One permutation, carried out by the swap and the copy mover and judged by the
 * naive loop, with guard bytes round the data and at any alignment. */
#pragma once

#include "tests/kernels/naive.h"

/* Aborts the test where a mover does not do what the formula says. */
void mover_case_check(uint64_t *state, const struct naive *n,
                      const struct element_format *f);
