#include "kernels/simd/avx2/avx2.h"

#define WIDTH 16
#include "kernels/simd/transpose_template.h"

void avx2_transpose_narrow(const unsigned char *from, unsigned char *to,
                           const struct transpose *t)
{
    transpose_matrix(from, to, t);
}
