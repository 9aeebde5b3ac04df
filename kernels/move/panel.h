/* Columns of small elements, by way of a scratch that holds a panel of them
 * transposed: there a column is contiguous and reverses as such. */
#pragma once

#include "kernels/move/columns.h"
#include "kernels/simd/kernel_table.h"

/* Whether the entries are of a size, and there are enough of them. */
bool move_panel_takes(const struct move_columns *c);

/* As move_columns(). `*moved` is false when there was no memory for the
 * scratch: then nothing is done. The scratch is counted nowhere: 8 MiB at most
 * for each thread that moves, and freed at the end. */
bool move_panel(const struct move_columns *c, const struct move_code *code,
                const unsigned char *from, unsigned char *to,
                struct cancel_check *pace, bool *moved);
