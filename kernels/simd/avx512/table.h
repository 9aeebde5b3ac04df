/* The table for x86-64 with AVX-512. */
#pragma once

#include "kernels/simd/kernel_table.h"

extern const struct kernel_table kernel_table_avx512;
