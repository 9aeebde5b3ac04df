/* Columns of entries that share cache lines with their neighbours, through a
 * scratch memory that holds a strip of each row: memory is then read and
 * written in long pieces of rows only. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* True if this is faster than moving entry by entry, and the columns are not
 * too long for the scratch memory. */
bool row_strip_fits(const struct columns_args *args);

/* Moves the columns. False when cancelled. Sets `*moved` to false if the
 * scratch memory, at most 8 MiB, could not be allocated; then nothing has been
 * done. */
bool row_strip_move(const struct columns_args *args, bool *moved);
