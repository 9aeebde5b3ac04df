/* The permutation that an operator describes and the movers carry out.
 *
 * The element at coordinate c of the result comes from coordinate c' of the
 * input. For each axis c' = c (keep), or c' = n-1-c for the first n entries and
 * c' = c for the others. n is a number (flip) or lens[b] (flip a length), b
 * being the coordinate on the batch axis. At most one axis is flipped up to
 * lengths.
 *
 * So a permutation is an involution made of disjoint swaps. The movers rely on
 * that: what is swapped in place is never needed again. A rotation (Roll) or a
 * transposition cannot be described.
 *
 * Trailing kept axes are merged into the row, the span of elements that moves
 * as one. O(rank + batch) memory, never O(elements). */
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
    uint64_t flips;  /* of PERMUTATION_FLIP: how many entries are reversed */
};

/* Axes are in loop order, outermost first. That is memory order (falling
 * strides) with one exception: the batch axis comes before the axis whose
 * lengths it gives, so that a mover always knows b first. */
struct permutation {
    int rank;
    bool is_mirrored;   /* the last axis of the shape is the first of `axes` */
    int batch_axis;     /* index in axes, or -1 */
    int64_t *lens;      /* owned; one an entry of the batch axis, or NULL */
    uint64_t row;       /* elements in a row, >= 1 unless rows is 0 */
    uint64_t row_count; /* rows in the tensor; 0 for an empty tensor */
    /* Large: what is behind the first `rank` of them has no meaning. */
    struct permutation_axis axes[SHAPE_MAX_RANK];
};

/* Starts with every axis of `shape` kept. shape_count(shape) has succeeded. The
 * elements are in row-major order, or else in column-major order, which is
 * row-major order of the mirrored shape. */
void permutation_init(struct permutation *p, const struct shape *shape,
                      bool column_major);

/* Marks an axis, 0 <= axis < rank of the shape, as flipped. */
void permutation_flip(struct permutation *p, int axis);

/* Marks `time_axis` as flipped up to a length for each entry of `batch_axis`.
 * Owns `lens` (from malloc) from now on, also for an empty tensor. */
void permutation_flip_lens(struct permutation *p, int time_axis, int batch_axis,
                           int64_t *lens);

/* Merges axes that behave alike, drops axes of one entry and flips that change
 * nothing, replaces equal lengths by a plain flip of that many entries, and
 * sorts the rest into loop order. Called once, after the marks. */
void permutation_collapse(struct permutation *p);

/* The same permutation of spans, each of which is a row: borrows `lens`. */
void permutation_of_spans(const struct permutation *p,
                          struct permutation *spans);

/* Frees the lengths; a zeroed permutation may be freed. */
void permutation_free(struct permutation *p);
