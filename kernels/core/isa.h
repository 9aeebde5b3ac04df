/* The instruction sets that movers and JSON have code for, and the one in use.
 */
#pragma once

#include <stdbool.h>

#include "kernels/core/status.h"

/* Of those that one processor has, each includes those before it. */
enum isa {
    ISA_GENERIC, /* plain C; always supported */
    ISA_AVX2,
    ISA_AVX512,
    ISA_NEON,
    ISA_COUNT,
};

/* "generic", "avx2", "avx512" or "neon". Static storage. */
const char *isa_name(enum isa isa);

/* True if the processor and the operating system support every -m option that
 * code for `isa` is compiled with. */
bool isa_is_supported(enum isa isa);

/* The set in use: the one that the environment variable FLIPD_SIMD names if it
 * is supported, otherwise the best that is. Resolved once, at the first call.
 * Any thread, while no thread changes the environment. */
enum isa isa_active(void);

/* Fails with INVALID when FLIPD_SIMD is set to an unknown name, or to a set
 * that is not supported. An empty value is as good as none. */
bool isa_check_environment(struct status *st);
