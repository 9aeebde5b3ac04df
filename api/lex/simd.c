#include "api/lex/simd.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "api/lex/simd_isa.h"
#if JSON_SIMD_X86
#include <cpuid.h>
#endif

static const struct json_simd generic = {.name = "generic"};

/* Set once to what the processor offers, by whichever thread comes first: all
 * find the same. Tests set it again. */
static _Atomic(const struct json_simd *) active;

#if JSON_SIMD_X86
/* clang 14 does not take "lzcnt" for __builtin_cpu_supports(). */
static bool has_lzcnt(void)
{
    unsigned eax, ebx, ecx = 0, edx;

    return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) &&
           (ecx & bit_LZCNT) != 0;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* The features that CMakeLists.txt compiles simd_avx512*.c for. */
static bool has_avx512(void)
{
    return has_avx2() && has_lzcnt() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

const struct json_simd *json_simd_supported(int i)
{
#if JSON_SIMD_X86
    if (has_avx512() && i-- == 0)
        return &json_simd_avx512;
    if (has_avx2() && i-- == 0)
        return &json_simd_avx2;
#endif
    return i == 0 ? &generic : NULL;
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
