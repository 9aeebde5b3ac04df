/* The table for 64-bit ARM with NEON, which each of them has. */
#pragma once

#include "kernels/simd/kernel_table.h"

extern const struct kernel_table kernel_table_neon;
