/* One permutation, carried out by the swap and the copy mover and judged by the
 * naive loop, with guard bytes round the data and at any alignment. */
#pragma once

#include "tests/kernels/naive.h"

/* Aborts the test if a mover's result differs from the formula. */
void mover_case_check(uint64_t *state, const struct naive *n,
                      const struct element_format *f);
