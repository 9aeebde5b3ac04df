#define WIDTH 32
#include "kernels/simd/transpose.h"
#include "kernels/simd/avx2/avx2.h"

/* Two tiles side by side need room for two. */
void move_avx2_transpose(const unsigned char *from, unsigned char *to,
                         const struct move_transpose *t)
{
    size_t longer = t->columns > t->rows ? t->columns : t->rows;

    if (longer * t->size < WIDTH)
        move_code_plain.transpose(from, to, t);
    else
        transpose(from, to, t);
}
