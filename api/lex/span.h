/* A piece of a text or of a BYTES tensor that moves as a whole. */
#pragma once

#include <stdint.h>

/* A row of elements in its source. 8 bytes, so that move_swap() moves rows as
 * 64-bit elements. */
struct span {
    uint32_t start; /* offset of the first byte of the first element */
    uint32_t len;   /* bytes up to the end of the last element */
};
