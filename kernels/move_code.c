#include "kernels/move_rows.h"

const struct move_code *move_code_best(void)
{
#if MOVE_HAS_AVX2
    return __builtin_cpu_supports("avx2") ? &move_code_avx2 : &move_code_plain;
#else
    return &move_code_plain;
#endif
}
