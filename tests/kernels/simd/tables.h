/* The kernel tables that the processor supports, the best first. */
#pragma once

#include "kernels/simd/kernel_table.h"

int tables_count(void);

/* As kernel_table_supported(), which takes 20 us in a virtual machine: CPUID
 * leaves it.
 */
const struct kernel_table *tables_get(int i);
