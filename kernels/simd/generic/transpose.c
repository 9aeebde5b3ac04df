#include "kernels/simd/generic/generic.h"

#define WIDTH 16
#include "kernels/simd/transpose_template.h"

void generic_transpose(const unsigned char *from, unsigned char *to,
                       const struct transpose *t)
{
    transpose_matrix(from, to, t);
}
