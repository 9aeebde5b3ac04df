/* The kernel tables that the processor supports, the best first. */
#pragma once

#include "kernels/simd/kernel_table.h"

int tables_count(void);

const struct kernel_table *tables_get(int i);

/* "avx2" and the like. */
const char *tables_name(const struct kernel_table *kernels);
