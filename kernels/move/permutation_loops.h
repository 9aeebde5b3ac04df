/* The loops of a permutation that all movers share: they find which rows move
 * where and hand them to the mover, at most a MiB at a time. */
#pragma once

#include "kernels/move/mover.h"

/* Hands all rows of `permutation` to the mover. False when cancelled. */
bool permutation_loops_run(struct mover *mover,
                           const struct permutation *permutation,
                           struct element_format format);
