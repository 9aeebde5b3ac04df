/* Four vectors of 16 bytes: NEON, which every 64-bit ARM processor has. */
#include <arm_neon.h>

#define JSON_SIMD_TABLE json_simd_neon
#define BLOCK_VECTOR 16
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

#include "api/lex/simd_functions.h"
