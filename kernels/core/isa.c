#include "kernels/core/isa.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[ISA_COUNT] = {
    [ISA_GENERIC] = "generic",
    [ISA_AVX2] = "avx2",
    [ISA_AVX512] = "avx512",
};

const char *isa_name(enum isa isa)
{
    return names[isa];
}

/* The set that FLIPD_SIMD names, or ISA_COUNT. */
static int find_limit(const char *value)
{
    int isa = 0;

    while (isa < ISA_COUNT && strcmp(names[isa], value) != 0)
        isa++;
    return isa;
}

static const char *read_environment(void)
{
    const char *value = getenv("FLIPD_SIMD");

    return value ? value : "";
}

bool isa_is_allowed(enum isa isa)
{
    return (int)isa <= find_limit(read_environment());
}

bool isa_check_environment(struct status *st)
{
    const char *value = read_environment();

    if (!*value || find_limit(value) < ISA_COUNT)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "FLIPD_SIMD is \"%s\", not generic, avx2 or avx512",
                       value);
}
