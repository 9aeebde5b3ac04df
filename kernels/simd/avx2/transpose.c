#include "kernels/simd/avx2/avx2.h"

#define WIDTH 32
#include "kernels/simd/transpose_template.h"

void avx2_transpose(const unsigned char *from, unsigned char *to,
                    const struct transpose *t)
{
    size_t longer = t->columns > t->rows ? t->columns : t->rows;

    if (longer * t->size < WIDTH)
        avx2_transpose_narrow(from, to, t);
    else
        transpose_matrix(from, to, t);
}
