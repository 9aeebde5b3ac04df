/* The mover of ragged rows: batch-major sequences, each with its own length. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* Reverses the first lens[i] rows of each sequence i; sequence 0 starts at
 * `data`. */
void ragged_rows_mover_swap(const struct kernel_table *kernels,
                            unsigned char *data, const struct ragged_rows *s);

/* Copies the sequences, reversed, and the rows after their lengths. */
void ragged_rows_mover_copy(const struct kernel_table *kernels,
                            const unsigned char *from, unsigned char *to,
                            const struct ragged_rows *s);
