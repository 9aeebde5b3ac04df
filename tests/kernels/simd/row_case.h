/* Strided rows, moved by a table's kernels and judged one byte at a time; no
 * byte beside the rows may change. */
#pragma once

#include "kernels/simd/kernel_table.h"

enum { ROW_CASE_BYTES = 8192 };

/* Noise: the former content of the target, and the source of a copy. The same
 * in each run. */
extern unsigned char row_case_noise[ROW_CASE_BYTES];
extern unsigned char row_case_from[ROW_CASE_BYTES];

/* The target of the last move, and its expected content. */
extern unsigned char row_case_data[ROW_CASE_BYTES];
extern unsigned char row_case_wanted[ROW_CASE_BYTES];

/* Fills both sources. Called first by each test. */
void row_case_fill(void);

/* Abort the test if table `isa` moves the rows otherwise than expected. */
void row_case_swap(int isa, const struct strided_rows *rows);
void row_case_copy(int isa, const struct strided_rows *rows);
