#include "kernels/simd/avx512/avx512.h"

/* The AVX-512 panel kernels transpose in registers; this serves panels that are
 * narrower than 64 bytes. */
#define WIDTH 32
#include "kernels/simd/transpose_template.h"

void avx512_transpose(const unsigned char *from, unsigned char *to,
                      const struct transpose *t)
{
    size_t longer = t->columns > t->rows ? t->columns : t->rows;

    if (longer * t->size < WIDTH)
        avx512_transpose_narrow(from, to, t);
    else
        transpose_matrix(from, to, t);
}
