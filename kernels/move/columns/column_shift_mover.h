/* Columns of small elements, 64 bytes of a row at a time: for tensors that the
 * second level cache holds. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* True if the table has the kernel and it is the fastest for these columns. */
bool column_shift_mover_fits(const struct columns_args *args);

/* Moves the columns. False when cancelled. */
bool column_shift_mover_move(const struct columns_args *args);
