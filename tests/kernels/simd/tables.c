#include "tests/kernels/simd/tables.h"

int tables_count(void)
{
    int count = 0;

    for (int isa = 0; isa < ISA_COUNT; isa++)
        count += isa_is_supported((enum isa)isa);
    return count;
}

/* CPUID, which isa_is_supported() asks, takes 20 us in a virtual machine. */
const struct kernel_table *tables_get(int i)
{
    static const struct kernel_table *tables[ISA_COUNT];

    for (int isa = ISA_COUNT - 1, at = 0; !tables[i] && isa >= 0; isa--)
        if (isa_is_supported((enum isa)isa) && at++ == i)
            tables[i] = kernel_tables[isa];
    return tables[i];
}

const char *tables_name(const struct kernel_table *kernels)
{
    int isa = 0;

    while (kernel_tables[isa] != kernels)
        isa++;
    return isa_name((enum isa)isa);
}
