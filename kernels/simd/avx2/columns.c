#include "kernels/simd/avx2/avx2.h"
#include "kernels/simd/plain_columns.h"

#define WIDTH 32
#include "kernels/simd/columns_template.h"

void avx2_columns_swap(unsigned char *data, const struct ragged_columns *c)
{
    if (c->size < 8)
        plain_swap_columns(data, c);
    else
        swap_columns(data, c);
}

void avx2_columns_copy(const unsigned char *from, unsigned char *to,
                       const struct ragged_columns *c)
{
    if (c->size < 8)
        plain_copy_columns(from, to, c);
    else
        copy_columns(from, to, c);
}
