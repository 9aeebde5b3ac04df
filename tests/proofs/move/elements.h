/* Packed elements, read and compared one by one. */
#pragma once

#include "tests/proofs/harness.h"

/* Element `at`, straight from the definition in kernels/core/dtype.h. */
static inline unsigned element(const unsigned char *data, size_t at)
{
    size_t per_byte = 8 / BITS, slot = at % per_byte;
    size_t shift = (HIGH_FIRST ? per_byte - 1 - slot : slot) * BITS;

    return data[at / per_byte] >> shift & ((1u << BITS) - 1);
}
