#include "tests/kernels/simd/tables.h"

#include "kernels/core/isa.h"

int tables_count(void)
{
    int count = 0;

    while (kernel_table_supported(count))
        count++;
    return count;
}

const struct kernel_table *tables_get(int i)
{
    static const struct kernel_table *tables[ISA_COUNT];

    if (!tables[i])
        tables[i] = kernel_table_supported(i);
    return tables[i];
}
