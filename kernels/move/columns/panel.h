/* The mover of columns of small entries. Some columns at a time, a panel, are
 * loaded into scratch memory in which each of them is contiguous; rows of the
 * result are made from it. So memory is read and written row by row. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* Moves the columns if their entries have 1, 2, 4 or 8 bytes, or 16 past the
 * caches, and there are enough of them; else, and without memory, returns false
 * and does nothing.
 * *done: not cancelled. */
bool panel_move(const struct columns_args *args, bool *done);
