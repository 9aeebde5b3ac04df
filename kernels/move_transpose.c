#include "kernels/move_plain.h"

#define WIDTH 16
#include "kernels/move_transpose.h"

void move_transpose_plain(const unsigned char *from, unsigned char *to,
                          const struct move_transpose *t)
{
    transpose(from, to, t);
}
