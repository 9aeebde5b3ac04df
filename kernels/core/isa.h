/* The instruction sets that movers and JSON have code for, and the one that the
 * environment variable FLIPD_SIMD holds them down to. */
#pragma once

#include <stdbool.h>

#include "kernels/core/status.h"

/* Each one includes those before it. */
enum isa {
    ISA_GENERIC, /* plain C; always allowed */
    ISA_AVX2,
    ISA_AVX512,
    ISA_COUNT,
};

/* "generic", "avx2" or "avx512". Static storage. */
const char *isa_name(enum isa isa);

/* True if FLIPD_SIMD does not exclude `isa`. An unset, an empty and an unknown
 * value exclude nothing. Any thread, while no thread changes the environment.
 */
bool isa_is_allowed(enum isa isa);

/* Fails with INVALID when FLIPD_SIMD is set to an unknown name. */
bool isa_check_environment(struct status *st);
