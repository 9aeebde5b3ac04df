#include "kernels/simd/kernel_table.h"

#if MOVE_HAS_X86
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("gfni");
}
#endif

const struct move_code *move_code_level(int i)
{
#if MOVE_HAS_X86
    bool avx2 = __builtin_cpu_supports("avx2");

    if (avx2 && has_avx512() && i-- == 0)
        return &move_code_avx512;
    if (avx2 && i-- == 0)
        return &move_code_avx2;
#endif
    return i == 0 ? &move_code_plain : NULL;
}

const struct move_code *move_code_best(void)
{
    return move_code_level(0);
}
