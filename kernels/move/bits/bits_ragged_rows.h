/* The mover of ragged rows of packed elements: adjacent sequences, each of
 * whole bytes and with its own length. Rows are elements. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* As ragged_rows_mover_swap(). */
void bits_ragged_rows_swap(const struct kernel_table *kernels,
                           const struct element_format *format,
                           unsigned char *data, const struct ragged_rows *s);

/* As ragged_rows_mover_copy(). */
void bits_ragged_rows_copy(const struct kernel_table *kernels,
                           const struct element_format *format,
                           const unsigned char *from, unsigned char *to,
                           const struct ragged_rows *s);
