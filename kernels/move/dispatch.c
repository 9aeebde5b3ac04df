#include "kernels/move/dispatch.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "kernels/core/isa.h"
#include "kernels/simd/generic/table.h"

#if defined(__x86_64__)
#include "kernels/simd/avx2/table.h"
#include "kernels/simd/avx512/table.h"

/* Each function tests for every -m option in the CMakeLists.txt of the folder.
 * __builtin_cpu_supports() includes the operating system's support of the
 * registers. */
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("gfni");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#endif

static bool has_generic(void)
{
    return true;
}

/* Best first. */
static const struct {
    const struct kernel_table *table;
    enum isa isa;
    bool (*supported)(void);
} rows[] = {
#if defined(__x86_64__)
    {&kernel_table_avx512, ISA_AVX512, has_avx512},
    {&kernel_table_avx2, ISA_AVX2, has_avx2},
#endif
    {&kernel_table_generic, ISA_GENERIC, has_generic},
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

const struct kernel_table *dispatch_isa(int i)
{
    for (size_t row = 0; row < ROWS; row++)
        if (rows[row].supported() && i-- == 0)
            return rows[row].table;
    return NULL;
}

/* The last row always qualifies. */
static const struct kernel_table *find_best(void)
{
    size_t row = 0;

    while (!rows[row].supported() || !isa_is_allowed(rows[row].isa))
        row++;
    return rows[row].table;
}

const struct kernel_table *dispatch_kernels(void)
{
    /* Written more than once only with the same value. */
    static const struct kernel_table *_Atomic resolved;
    const struct kernel_table *table =
        atomic_load_explicit(&resolved, memory_order_relaxed);

    if (!table) {
        table = find_best();
        atomic_store_explicit(&resolved, table, memory_order_relaxed);
    }
    return table;
}
