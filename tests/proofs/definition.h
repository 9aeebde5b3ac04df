/* What a permutation means, straight from the formula of
 * kernels/ops/permutation.h: the shape and its marks, one element at a time.
 * Shares no code with kernels/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/ops/permutation.h"

/* Extents are so small that a byte holds an index: CBMC divides bytes fast. */
typedef uint8_t small;

enum { MOST_RANK = 4, MOST_BATCH = 4 };

/* The shape in memory order, so mirrored where the call is column-major. */
struct definition {
    int rank;
    small extents[MOST_RANK];
    enum permutation_map maps[MOST_RANK];
    int batch_axis; /* where an axis is PERMUTATION_FLIP_LENS, else -1 */
    small lens[MOST_BATCH];
};

static small definition_count(const struct definition *d)
{
    small count = 1;

    for (int i = 0; i < d->rank; i++)
        count = (small)(count * d->extents[i]);
    return count;
}

/* The index of the input's element that becomes element `index` of the result.
 */
static small definition_source(const struct definition *d, small index)
{
    small at[MOST_RANK] = {0}, source = 0;

    for (int i = d->rank - 1; i >= 0; i--) {
        at[i] = index % d->extents[i];
        index /= d->extents[i];
    }
    for (int i = 0; i < d->rank; i++) {
        small flips = d->maps[i] == PERMUTATION_FLIP ? d->extents[i]
                      : d->maps[i] == PERMUTATION_FLIP_LENS
                          ? d->lens[at[d->batch_axis]]
                          : 0;

        source = (small)(source * d->extents[i] +
                         (at[i] < flips ? flips - 1 - at[i] : at[i]));
    }
    return source;
}
