#include "api/lex/simd.h"

#include <stdatomic.h>

#include "kernels/core/isa.h"

static const struct json_simd *const tables[ISA_COUNT] = {
    [ISA_GENERIC] = &json_simd_generic,
#ifdef __x86_64__
    [ISA_AVX2] = &json_simd_avx2,
    [ISA_AVX512] = &json_simd_avx512,
#elif defined(__aarch64__)
    [ISA_NEON] = &json_simd_neon,
#endif
};

/* Set by tests; NULL: the default. */
static _Atomic(const struct json_simd *) selected;

const struct json_simd *json_simd_supported(int i)
{
    for (int isa = ISA_COUNT - 1; isa >= 0; isa--)
        if (isa_is_supported((enum isa)isa) && i-- == 0)
            return tables[isa];
    return NULL;
}

const struct json_simd *json_simd_active(void)
{
    const struct json_simd *simd =
        atomic_load_explicit(&selected, memory_order_relaxed);

    return simd ? simd : tables[isa_active()];
}

void json_simd_select(const struct json_simd *simd)
{
    atomic_store_explicit(&selected, simd, memory_order_relaxed);
}
