#include "kernels/simd/vector_64.h"

#include "kernels/simd/table.h"

const struct kernel_table kernel_table_avx512 = KERNEL_TABLE("avx512");
