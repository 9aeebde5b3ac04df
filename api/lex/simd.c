#include "api/lex/simd.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "api/lex/simd_isa.h"

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
    bool (*supported)(void);
} isas[] = {
#if JSON_SIMD_X86
    {&json_simd_avx512, has_avx512},
    {&json_simd_avx2, has_avx2},
#endif
    {&generic, has_generic},
};

enum { ISAS = sizeof(isas) / sizeof(*isas) };

/* Resolved by the first call; whichever threads make it, they write the same
 * value. Tests set it again. */
static _Atomic(const struct json_simd *) active;

const struct json_simd *json_simd_supported(int i)
{
    for (size_t row = 0; row < ISAS; row++)
        if (isas[row].supported() && i-- == 0)
            return isas[row].table;
    return NULL;
}

const struct json_simd *json_simd_active(void)
{
    const struct json_simd *simd =
        atomic_load_explicit(&active, memory_order_relaxed);

    if (!simd) {
        simd = JSON_SIMD_BY_DEFAULT ? json_simd_supported(0) : &generic;
        atomic_store_explicit(&active, simd, memory_order_relaxed);
    }
    return simd;
}

void json_simd_select(const struct json_simd *simd)
{
    atomic_store_explicit(&active, simd ? simd : &generic,
                          memory_order_relaxed);
}
