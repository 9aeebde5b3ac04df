/* Vectors of 16 bytes: NEON, which every 64-bit ARM processor has. */
#include <arm_neon.h>

#define KERNEL_TABLE kernel_table_neon
#define VECTOR_BYTES 16
#define VECTOR_SHUFFLES 1
#include "kernels/simd/vector.h"

INLINE vector vector_shuffle(vector v, vector index)
{
    return (vector)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)index);
}

/* Reverses the order of entries of `size` bytes, 1 to 8: inside each half, then
 * the halves. */
INLINE vector vector_reverse(vector v, vector index, size_t size)
{
    uint8x16_t bytes = (uint8x16_t)v;

    (void)index;
    if (size == 1)
        bytes = vrev64q_u8(bytes);
    else if (size == 2)
        bytes = (uint8x16_t)vrev64q_u16((uint16x8_t)bytes);
    else if (size == 4)
        bytes = (uint8x16_t)vrev64q_u32((uint32x4_t)bytes);
    return (vector)vextq_u8(bytes, bytes, 8);
}

#include "kernels/simd/table.h"
