/* Arguments of the kernel for packed elements: whole words of 64 bits, made of
 * elements that may start inside a byte.
 *
 * Forward: each target byte holds the next 8 bits of the source, in the order
 * of its elements, starting `shift` bits inside the first source byte. With
 * `reverse` the elements come from the last to the first. */
#pragma once

#include <stdbool.h>

#include "kernels/core/dtype.h"

struct bit_transfer {
    struct element_format format; /* of 1, 2 or 4 bits */
    bool reverse;
    unsigned shift; /* 0 to 7 */
};
