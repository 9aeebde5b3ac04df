/* The mover of columns of small entries. Some columns at a time, a panel, are
 * loaded into scratch memory in which each of them is contiguous; rows of the
 * result are made from it. So memory is read and written row by row. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* Bytes of args->scratch that panel_move() needs: 0 unless the columns' entries
 * have 1, 2, 4 or 8 bytes, or 16 past the caches, and there are enough of them.
 */
size_t panel_scratch(const struct columns_args *args);

/* Moves such columns; others, and any without scratch memory, returns false and
 * does nothing. *done: not cancelled. */
bool panel_move(const struct columns_args *args, bool *done);
