#include "kernels/simd/kernel_table.h"

#include "kernels/core/isa.h"

static const struct kernel_table *const tables[ISA_COUNT] = {
    [ISA_GENERIC] = &kernel_table_generic,
#if defined(__x86_64__)
    [ISA_AVX2] = &kernel_table_avx2,
    [ISA_AVX512] = &kernel_table_avx512,
#elif defined(__aarch64__)
    [ISA_NEON] = &kernel_table_neon,
#endif
};

const struct kernel_table *kernel_table_supported(int i)
{
    for (int isa = ISA_COUNT - 1; isa >= 0; isa--)
        if (isa_is_supported((enum isa)isa) && i-- == 0)
            return tables[isa];
    return NULL;
}

const struct kernel_table *kernel_table_active(void)
{
    return tables[isa_active()];
}
