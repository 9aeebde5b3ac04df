/* The mover of packed elements: of 1, 2 or 4 bits, which never straddle a byte.
 * All offsets, sizes and steps of rows are in elements. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* As row_kernels.swap(). */
void bits_swap(const struct kernel_table *kernels,
               const struct element_format *format, unsigned char *data,
               const struct strided_rows *rows);

/* As row_kernels.copy(). */
void bits_copy(const struct kernel_table *kernels,
               const struct element_format *format, const unsigned char *from,
               unsigned char *to, const struct strided_rows *rows);
