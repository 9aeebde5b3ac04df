/* scale_run() of BYTES bytes of DTYPE, any contents, by COEFFICIENT: each
 * element is the product that move.h tells of.
 * Pieces have STEP bytes instead of a MiB, so that there are several. */
#include "tests/proofs/move/cancelled.h"
#define CANCEL_STEP_BYTES ((size_t)STEP)
#include "kernels/move/scale.c"

enum { SIZE = sizeof(TYPE) };

/* In float, but for doubles. */
static TYPE product(TYPE value, double coefficient)
{
#ifdef HALF
#define NAMED(left, middle, right) left##middle##right
#define NAME(left, middle, right) NAMED(left, middle, right)
    return NAME(half_, HALF, _from_double)(
        (double)(NAME(half_, HALF, _to_float)(value) * (float)coefficient));
#else
    return value * (TYPE)coefficient;
#endif
}

int main(void)
{
    unsigned char data[BYTES], before[BYTES];
    size_t element = any_below(BYTES / SIZE) * SIZE;
    TYPE was, is, wanted;
    bool done;

    for (size_t i = 0; i < sizeof(data); i++)
        before[i] = data[i];
    done = scale_run(DTYPE, data, BYTES, COEFFICIENT, &flag);
    CHECK(done == !cancelled);
    memcpy(&was, before + element, SIZE);
    memcpy(&is, data + element, SIZE);
    wanted = product(was, COEFFICIENT);
    CHECK(!done || (wanted != wanted ? is != is : is == wanted));
    REACHED();
}
