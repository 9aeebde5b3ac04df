#include "tests/kernels/simd/tables.h"

#include "kernels/core/isa.h"
#include "kernels/move/dispatch.h"

int tables_count(void)
{
    int count = 0;

    while (dispatch_isa(count))
        count++;
    return count;
}

const struct kernel_table *tables_get(int i)
{
    static const struct kernel_table *tables[ISA_COUNT];

    if (!tables[i])
        tables[i] = dispatch_isa(i);
    return tables[i];
}
