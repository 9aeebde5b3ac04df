/* The table for x86-64 with AVX2. */
#pragma once

#include "kernels/simd/kernel_table.h"

extern const struct kernel_table kernel_table_avx2;
