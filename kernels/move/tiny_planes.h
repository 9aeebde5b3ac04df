/* The mover of tiny planes: adjacent planes of a few short entries, each in
 * reverse order. All planes have the same permutation of a few bytes. */
#pragma once

#include <stdbool.h>

#include "kernels/simd/kernel_table.h"

/* Moves the rows if they are many tiny planes. Else returns false and does
 * nothing. */
bool move_tiny_planes_swap(const struct kernel_table *kernels,
                           unsigned char *data,
                           const struct strided_rows *rows);
bool move_tiny_planes_copy(const struct kernel_table *kernels,
                           const unsigned char *from, unsigned char *to,
                           const struct strided_rows *rows);
