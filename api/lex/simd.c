#include "api/lex/simd.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "api/lex/simd_isa.h"
#include "kernels/core/isa.h"

#if JSON_SIMD_X86
#include <cpuid.h>

/* clang 14 does not take "lzcnt" for __builtin_cpu_supports(). */
static bool has_lzcnt(void)
{
    unsigned eax, ebx, ecx = 0, edx;

    return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) &&
           (ecx & bit_LZCNT) != 0;
}

/* These functions test for every -m option in CMakeLists.txt.
 * __builtin_cpu_supports() includes the operating system's support of the
 * registers. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
    return has_avx2() && has_lzcnt() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

static bool has_generic(void)
{
    return true;
}

static const struct json_simd generic = {.name = "generic"};

/* Best first. */
static const struct {
    const struct json_simd *table;
    enum isa isa;
    bool (*supported)(void);
} rows[] = {
#if JSON_SIMD_X86
    {&json_simd_avx512, ISA_AVX512, has_avx512},
    {&json_simd_avx2, ISA_AVX2, has_avx2},
#endif
    {&generic, ISA_GENERIC, has_generic},
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

/* Resolved by the first call; whichever threads make it, they write the same
 * value. Tests set it again. */
static _Atomic(const struct json_simd *) active;

const struct json_simd *json_simd_supported(int i)
{
    for (size_t row = 0; row < ROWS; row++)
        if (rows[row].supported() && i-- == 0)
            return rows[row].table;
    return NULL;
}

/* The last row always qualifies. */
static const struct json_simd *find_best(void)
{
    size_t row = 0;

    while (!rows[row].supported() || !isa_is_allowed(rows[row].isa))
        row++;
    return rows[row].table;
}

const struct json_simd *json_simd_active(void)
{
    const struct json_simd *simd =
        atomic_load_explicit(&active, memory_order_relaxed);

    if (!simd) {
        simd = JSON_SIMD_BY_DEFAULT ? find_best() : &generic;
        atomic_store_explicit(&active, simd, memory_order_relaxed);
    }
    return simd;
}

void json_simd_select(const struct json_simd *simd)
{
    atomic_store_explicit(&active, simd ? simd : &generic,
                          memory_order_relaxed);
}
