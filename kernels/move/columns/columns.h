/* The mover of ragged columns: time-major sequences, where the entries of a
 * column lie a stride apart. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* Moves the columns. False when cancelled. Allocates at most 8 MiB of scratch
 * memory; without it, a slower algorithm is used. */
bool columns_move(const struct columns_args *args);
