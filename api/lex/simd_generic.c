/* Four vectors of 16 bytes, for every processor; with SSE2 on every x86-64. */
#define JSON_SIMD_TABLE json_simd_generic
#define BLOCK_VECTOR 16
#ifdef __SSE2__
#include <emmintrin.h>

#define BLOCK_HAS_MASK 1
#include "api/lex/block.h"

static inline uint64_t block_mask(struct block matches)
{
    uint64_t mask = 0;

    for (int i = 0; i < BLOCK_VECTORS; i++)
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8((__m128i)matches.parts[i])
                << 16 * i;
    return mask;
}
#else
#include "api/lex/block.h"
#endif

#include "api/lex/simd_functions.h"
