#include "kernels/simd/vector_neon.h"

#include "kernels/simd/table.h"

const struct kernel_table kernel_table_neon = KERNEL_TABLE("neon");
