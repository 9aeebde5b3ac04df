/* Columns of small elements, a line of 64 bytes at a time: for tensors that the
 * second level cache holds. */
#pragma once

#include "kernels/move/columns.h"
#include "kernels/simd/kernel_table.h"

/* Whether the columns are of that kind, and the code has such loops. */
bool move_rise_takes(const struct move_columns *c,
                     const struct move_code *code);

/* As move_columns(). */
bool move_rise(const struct move_columns *c, const struct move_code *code,
               const unsigned char *from, unsigned char *to,
               struct cancel_check *pace);
