/* The parts of the AVX-512 table. Private to this folder. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* avx512_transpose_narrow() is for matrices with no side of 32 bytes. */
void avx512_transpose(const unsigned char *from, unsigned char *to,
                      const struct transpose *t);
void avx512_transpose_narrow(const unsigned char *from, unsigned char *to,
                             const struct transpose *t);

void avx512_panel_load(const unsigned char *from, unsigned char *scratch,
                       const struct panel_block *block);
void avx512_panel_store(const unsigned char *scratch, unsigned char *to,
                        const struct panel_block *block);

void avx512_column_shift(const unsigned char *from, unsigned char *to,
                         unsigned char *scratch,
                         const struct column_shift *columns);
