#include "api/lex/simd.h"

const struct json_simd *const json_simd_tables[ISA_COUNT] = {
    [ISA_GENERIC] = &json_simd_generic,
#ifdef __x86_64__
    [ISA_AVX2] = &json_simd_avx2,
    [ISA_AVX512] = &json_simd_avx512,
#elif defined(__aarch64__)
    [ISA_NEON] = &json_simd_generic,
#endif
};

const struct json_simd *json_simd_active(void)
{
    return json_simd_tables[isa_active()];
}
