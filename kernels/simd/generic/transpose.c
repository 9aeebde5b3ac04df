#include "kernels/simd/generic/generic.h"

#define WIDTH 16
#include "kernels/simd/transpose.h"

void move_transpose_plain(const unsigned char *from, unsigned char *to,
                          const struct move_transpose *t)
{
    transpose(from, to, t);
}
