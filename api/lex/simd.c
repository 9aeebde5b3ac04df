#include "api/lex/simd.h"

#include <stdbool.h>

#include "api/lex/simd_isa.h"

static const struct json_simd *chosen;
static bool is_chosen;

const struct json_simd *json_simd_supported(int i)
{
#if JSON_SIMD_X86
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

const struct json_simd *json_simd_active(void)
{
    if (is_chosen)
        return chosen;
    return JSON_SIMD_BY_DEFAULT ? json_simd_supported(0) : NULL;
}

void json_simd_select(const struct json_simd *simd)
{
    chosen = simd;
    is_chosen = true;
}
