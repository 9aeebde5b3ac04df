/* Columns of small elements, through a scratch memory that holds a panel of
 * them transposed: a column is contiguous in it and easily reversed. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* True if the entries have 1, 2, 4 or 8 bytes and the columns fill a tile. */
bool panel_fits(const struct columns_args *args);

/* Moves the columns. False when cancelled. Sets `*moved` to false if the
 * scratch memory could not be allocated; then nothing has been done. The
 * scratch memory is counted nowhere: at most 8 MiB for each thread that moves,
 * freed at the end. */
bool panel_move(const struct columns_args *args, bool *moved);
