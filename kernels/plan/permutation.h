/* A permutation: what an operator does to a tensor, described and not done.
 *
 * The element at coordinate c of the result comes from coordinate c' of the
 * input. Per axis, c' = c (keep), or, for the first n entries only, n-1-c; n is
 * a number (flip) or lens[b] (flip a length), b being the coordinate on the
 * batch axis. Trailing untouched axes are merged into the *row*: the
 * span of elements that moves as one. Every permutation described here is an
 * involution made of disjoint swaps.
 *
 * O(rank + batch) memory, never O(elements). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/core/status.h"
#include "kernels/core/tensor.h"

enum permutation_map {
    PERMUTATION_KEEP,
    PERMUTATION_FLIP,      /* the first `flips` entries: all, before collapse */
    PERMUTATION_FLIP_LENS, /* the first lens[b] entries */
};

struct permutation_axis {
    enum permutation_map map;
    uint64_t extent; /* entries */
    uint64_t stride; /* rows from one entry to the next */
    uint64_t flips;  /* of PERMUTATION_FLIP: entries that change places */
};

/* Axes stand in loop order, outermost first. That is memory order (falling
 * strides) but for one exception: the batch axis comes before the axis whose
 * lengths it gives, so that a mover always knows b first. */
struct permutation {
    int rank;
    struct permutation_axis axes[TENSOR_MAX_RANK];
    int batch_axis;     /* index in axes, or -1 */
    int64_t *lens;      /* owned; one an entry of the batch axis, or NULL */
    uint64_t row;       /* elements in a row, >= 1 unless rows is 0 */
    uint64_t row_count; /* rows in the tensor; 0 for an empty tensor */
};

/* Starts with every axis of `shape` kept. shape_count(shape) has succeeded. */
void permutation_init(struct permutation *p, const struct shape *shape);

/* Marks an axis, 0 <= axis < rank of the shape, as flipped. */
void permutation_flip(struct permutation *p, int axis);

/* Marks `time_axis` as flipped up to a length for each entry of `batch_axis`.
 * Takes over `lens` (from malloc), also for an empty tensor. */
void permutation_flip_lens(struct permutation *p, int time_axis, int batch_axis,
                           int64_t *lens);

/* Merges axes that behave alike, drops axes of one entry and flips that change
 * nothing, turns equal lengths into a plain flip of that many entries, and
 * puts the rest in loop order. To be called once, after the marks. */
void permutation_collapse(struct permutation *p);

/* Whether nothing moves at all. After permutation_collapse(). */
bool permutation_is_identity(const struct permutation *p);

/* Frees what the permutation owns; a zeroed permutation may be freed. */
void permutation_free(struct permutation *p);
