#include "kernels/simd/kernel_table.h"

#define WIDTH 16
#include "kernels/simd/transpose_template.h"

void neon_transpose(const unsigned char *from, unsigned char *to,
                    const struct transpose *t);

void neon_transpose(const unsigned char *from, unsigned char *to,
                    const struct transpose *t)
{
    transpose_matrix(from, to, t);
}
