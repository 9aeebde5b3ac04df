/* Arguments of the shuffle kernel: one permutation of a few bytes, applied
 * again and again to adjacent planes of a few short entries. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "kernels/simd/inline.h"

struct shuffle {
    size_t size;             /* bytes of an entry */
    size_t plane;            /* bytes of a plane */
    size_t step;             /* bytes of the whole planes in one shuffle */
    unsigned char index[64]; /* source of byte i; i itself from `step` on */
};

/* Shuffles the bytes after the last whole vector: whole planes, fewer than step
 * + 64 bytes. `to` may be `from`. */
INLINE void shuffle_rest(const unsigned char *from, unsigned char *to,
                         size_t bytes, const struct shuffle *s)
{
    unsigned char in[2 * sizeof(s->index)];

    memcpy(in, from, bytes);
    for (size_t done = 0; done < bytes; done += s->step)
        for (size_t i = 0; i < s->step && done + i < bytes; i++)
            to[done + i] = in[done + s->index[i]];
}
