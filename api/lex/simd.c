#include "api/lex/simd.h"

#include <stdatomic.h>

#include "api/lex/simd_isa.h"
#include "kernels/core/isa.h"

static const struct json_simd generic = {.name = "generic"};

static const struct json_simd *const tables[ISA_COUNT] = {
    [ISA_GENERIC] = &generic,
#if JSON_SIMD_X86
    [ISA_AVX2] = &json_simd_avx2,
    [ISA_AVX512] = &json_simd_avx512,
#elif defined(__aarch64__)
    [ISA_NEON] = &generic,
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

    if (simd)
        return simd;
    return JSON_SIMD_BY_DEFAULT ? tables[isa_active()] : &generic;
}

void json_simd_select(const struct json_simd *simd)
{
    atomic_store_explicit(&selected, simd ? simd : &generic,
                          memory_order_relaxed);
}
