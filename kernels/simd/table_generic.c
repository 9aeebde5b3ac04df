/* Plain C, for every processor: the oracle of the other tables. */
#include "kernels/simd/vector_16.h"

#include "kernels/simd/table.h"

const struct kernel_table kernel_table_generic = KERNEL_TABLE("generic");
