#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/plain_rows.h"

/* Below 64 bytes, plain loads and stores of 16 and 32 bytes: a masked store
 * delays each load that follows it closely. */
#define WIDTH 32
#include "kernels/simd/short_rows_template.h"

void avx512_short_rows_swap(unsigned char *data,
                            const struct strided_rows *rows)
{
    if (rows->size < 16)
        plain_swap_rows(data, rows);
    else
        swap_rows_from_16(data, rows);
}

void avx512_short_rows_copy(const unsigned char *from, unsigned char *to,
                            const struct strided_rows *rows)
{
    if (rows->size < 16)
        plain_copy_rows(from, to, rows);
    else
        copy_rows_from_16(from, to, rows);
}
