#include "kernels/core/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* clang 14 does not take "lzcnt" for __builtin_cpu_supports(). */
static bool has_lzcnt(void)
{
    unsigned eax, ebx, ecx = 0, edx;

    return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) &&
           (ecx & bit_LZCNT) != 0;
}

/* __builtin_cpu_supports() includes the operating system's support of the
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

static const char *const names[ISA_COUNT] = {
    [ISA_GENERIC] = "generic",
    [ISA_AVX2] = "avx2",
    [ISA_AVX512] = "avx512",
    [ISA_NEON] = "neon",
};

const char *isa_name(enum isa isa)
{
    return names[isa];
}

bool isa_is_supported(enum isa isa)
{
    switch (isa) {
    case ISA_GENERIC:
        return true;
#if defined(__x86_64__)
    case ISA_AVX2:
        return has_avx2();
    case ISA_AVX512:
        return has_avx512();
#elif defined(__aarch64__)
    case ISA_NEON: /* part of every arm64 processor */
        return true;
#endif
    default:
        return false;
    }
}

/* The set that the environment names in *value; ISA_COUNT: none. */
static enum isa read_environment(const char **value)
{
    enum isa isa = 0;

    *value = getenv("FLIPD_SIMD");
    while (isa < ISA_COUNT && (!*value || strcmp(names[isa], *value) != 0))
        isa++;
    return isa;
}

static enum isa find_best(void)
{
    enum isa isa = ISA_COUNT - 1;

    while (!isa_is_supported(isa))
        isa--;
    return isa;
}

enum isa isa_active(void)
{
    /* Written more than once only with the same value. */
    static _Atomic int resolved = -1;
    int isa = atomic_load_explicit(&resolved, memory_order_relaxed);
    const char *value;

    if (isa < 0) {
        isa = (int)read_environment(&value);
        if (isa == ISA_COUNT || !isa_is_supported((enum isa)isa))
            isa = (int)find_best();
        atomic_store_explicit(&resolved, isa, memory_order_relaxed);
    }
    return (enum isa)isa;
}

bool isa_check_environment(struct status *st)
{
    const char *value;
    enum isa isa = read_environment(&value);

    if (!value || !*value || (isa < ISA_COUNT && isa_is_supported(isa)))
        return true;
    if (isa < ISA_COUNT)
        return status_fail(st, STATUS_INVALID,
                           "FLIPD_SIMD is \"%s\", which this processor lacks; "
                           "the best that it has is %s",
                           value, isa_name(find_best()));
    return status_fail(st, STATUS_INVALID,
                       "FLIPD_SIMD is \"%s\", not generic, avx2, avx512 or "
                       "neon",
                       value);
}
