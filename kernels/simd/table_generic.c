/* Vectors of 16 bytes in plain C, for every processor: the compiler makes the
 * best of them. The oracle of the other tables. Without vector_shuffle():
 * x86-64 has one from SSSE3 on. */
#define KERNEL_TABLE kernel_table_generic
#define VECTOR_BYTES 16
#define VECTOR_SHUFFLES 0
#include "kernels/simd/vector.h"

/* Reverses the order of entries of `size` bytes: 1, 2, 4 or 8. In steps that
 * are one instruction each with SSE2: inside pairs of bytes, inside each half,
 * then the halves. */
INLINE vector vector_reverse(vector v, vector index, size_t size)
{
    vector_twos twos = (vector_twos)v;
    vector_fours fours = (vector_fours)v;

    (void)index;
    if (size == 1)
        twos = twos * 256 | twos / 256;
    if (size <= 2) {
        twos = __builtin_shufflevector(twos, twos, 3, 2, 1, 0, 4, 5, 6, 7);
        twos = __builtin_shufflevector(twos, twos, 0, 1, 2, 3, 7, 6, 5, 4);
        fours = (vector_fours)twos;
    } else if (size == 4) {
        fours = __builtin_shufflevector(fours, fours, 1, 0, 3, 2);
    }
    return (vector)__builtin_shufflevector(fours, fours, 2, 3, 0, 1);
}

#include "kernels/simd/table.h"
