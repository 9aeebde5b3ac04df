/* size_multiply(): the product of any number and FACTOR, or SIZE_MAX where
 * that is too large. */
#include "kernels/core/size.h"
#include "tests/proofs/harness.h"

int main(void)
{
    size_t any = nondet_size();

    CHECK(size_multiply(any, FACTOR) ==
          (any > SIZE_MAX / FACTOR ? SIZE_MAX : any * FACTOR));
    REACHED();
}
