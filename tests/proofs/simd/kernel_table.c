/* The table in use is that of the set in use, of those that the build has. */
#include "kernels/simd/kernel_table.c"

#include "tests/proofs/harness.h"

/* One of this processor's. */
enum isa isa_active(void)
{
    return (enum isa)any_below(ISA_AVX512 + 1);
}

int main(void)
{
    const struct kernel_table *active = kernel_table_active();

    CHECK(active == &kernel_table_generic || active == &kernel_table_avx2 ||
          active == &kernel_table_avx512);
    CHECK(kernel_tables[ISA_GENERIC] == &kernel_table_generic);
    CHECK(kernel_tables[ISA_AVX2] == &kernel_table_avx2);
    CHECK(kernel_tables[ISA_AVX512] == &kernel_table_avx512);
    CHECK(kernel_tables[ISA_NEON] == NULL);
    REACHED();
}
