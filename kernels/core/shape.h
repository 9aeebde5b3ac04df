/* The shape of a tensor, with sizes that are checked for overflow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"

/* The limit of this service, for every operator. */
enum { SHAPE_MAX_RANK = 32 };

/* Row-major. Each dim is in 0 .. 2^63-1. Rank 0 is a scalar: one element. */
struct shape {
    int rank;
    int64_t dims[SHAPE_MAX_RANK];
};

/* Product of the dims. A zero dim makes it 0 whatever the others are. Fails
 * with INVALID when it is 2^63 or more; `name` goes into the text. */
bool shape_count(const struct shape *shape, const char *name, uint64_t *count,
                 struct status *st);

/* Writes the shape as "[2, 3]" (cut, with "...", if `size` is too small) and
 * returns `text`. */
char *shape_print(const struct shape *shape, char *text, size_t size);
