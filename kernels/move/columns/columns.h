/* The mover of ragged columns: time-major sequences, where the entries of a
 * column lie a stride apart. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* Bytes of args->scratch with which the columns move fastest; 0 where they need
 * none. args->from, to and cancel are not read. */
size_t columns_scratch(const struct columns_args *args);

/* Moves the columns. False when cancelled. */
bool columns_move(const struct columns_args *args);
