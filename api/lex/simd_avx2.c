/* Two vectors of 32 bytes. */
#include <immintrin.h>

#define JSON_SIMD_TABLE json_simd_avx2
#define BLOCK_VECTOR 32
#define BLOCK_HAS_MASK 1
#include "api/lex/block.h"

static inline uint64_t block_mask(struct block matches)
{
    const __m256i *halves = (const __m256i *)matches.parts;

    return (uint32_t)_mm256_movemask_epi8(halves[0]) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(halves[1]) << 32;
}

#include "api/lex/simd_functions.h"
