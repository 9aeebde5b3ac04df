#include "api/lex/simd.h"

#include <stdbool.h>

#include "api/lex/simd_isa.h"

static const struct wide *chosen;
static bool is_chosen;

const struct wide *wide_level(int i)
{
#if WIDE_HAS_X86
    bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                  __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512vbmi") &&
                  __builtin_cpu_supports("avx512vbmi2");

    if (avx512 && i-- == 0)
        return &wide_avx512;
    if (avx2 && i == 0)
        return &wide_avx2;
#else
    (void)i;
#endif
    return NULL;
}

const struct wide *wide_best(void)
{
    if (is_chosen)
        return chosen;
    return WIDE_BY_DEFAULT ? wide_level(0) : NULL;
}

void wide_choose(const struct wide *wide)
{
    chosen = wide;
    is_chosen = true;
}
