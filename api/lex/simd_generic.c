/* Four vectors of 16 bytes, for every processor; with SSE2 on every x86-64,
 * with NEON on every arm64. */
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
#elif defined(__aarch64__)
#include <arm_neon.h>

#define BLOCK_HAS_MASK 1
#include "api/lex/block.h"

/* Each byte keeps the bit of its index in eight bytes, and three pairwise
 * additions join eight bytes. */
static inline uint64_t block_mask(struct block matches)
{
    const vector bits = {1, 2, 4, 8, 16, 32, 64, 128,
                         1, 2, 4, 8, 16, 32, 64, 128};
    const vector *parts = matches.parts;
    uint8x16_t low = vpaddq_u8(parts[0] & bits, parts[1] & bits);
    uint8x16_t high = vpaddq_u8(parts[2] & bits, parts[3] & bits);
    uint8x16_t sum = vpaddq_u8(low, high);

    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}
#else
#include "api/lex/block.h"
#endif

#include "api/lex/simd_functions.h"
