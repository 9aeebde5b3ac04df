/* The parts of the AVX2 table. Private to this folder. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* avx2_transpose_narrow() is for matrices with no side of 32 bytes. */
void avx2_transpose(const unsigned char *from, unsigned char *to,
                    const struct transpose *t);
void avx2_transpose_narrow(const unsigned char *from, unsigned char *to,
                           const struct transpose *t);
