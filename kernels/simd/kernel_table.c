#include "kernels/simd/kernel_table.h"

const struct kernel_table *const kernel_tables[ISA_COUNT] = {
    [ISA_GENERIC] = &kernel_table_generic,
#if defined(__x86_64__)
    [ISA_AVX2] = &kernel_table_avx2,
    [ISA_AVX512] = &kernel_table_avx512,
#elif defined(__aarch64__)
    [ISA_NEON] = &kernel_table_neon,
#endif
};

const struct kernel_table *kernel_table_active(void)
{
    return kernel_tables[isa_active()];
}
