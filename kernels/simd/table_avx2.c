#include "kernels/simd/vector_32.h"

#include "kernels/simd/table.h"

const struct kernel_table kernel_table_avx2 = KERNEL_TABLE("avx2");
