#include "kernels/ops/permutation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"

/* Where an axis of the shape is in p->axes. */
static int place(const struct permutation *p, int axis)
{
    return p->is_mirrored ? p->rank - 1 - axis : axis;
}

void permutation_init(struct permutation *p, const struct shape *shape,
                      bool column_major)
{
    uint64_t stride = 1;

    REQUIRE(shape->rank >= 0 && shape->rank <= SHAPE_MAX_RANK);
    p->rank = shape->rank;
    p->is_mirrored = column_major;
    p->batch_axis = -1;
    p->lens = NULL;
    p->row = 1;
    for (int i = 0; i < shape->rank; i++) {
        p->axes[place(p, i)] =
            (struct permutation_axis){.extent = (uint64_t)shape->dims[i]};
        if (shape->dims[i] == 0)
            stride = 0; /* empty: no product below may overflow */
    }
    for (int i = shape->rank - 1; i >= 0; i--) {
        p->axes[i].stride = stride;
        stride *= p->axes[i].extent;
    }
    p->row_count = stride;
}

void permutation_flip(struct permutation *p, int axis)
{
    struct permutation_axis *flipped = &p->axes[place(p, axis)];

    REQUIRE(axis >= 0 && axis < p->rank &&
            flipped->map != PERMUTATION_FLIP_LENS);
    flipped->map = PERMUTATION_FLIP;
    flipped->flips = flipped->extent;
}

void permutation_flip_lens(struct permutation *p, int time_axis, int batch_axis,
                           int64_t *lens)
{
    REQUIRE(time_axis >= 0 && time_axis < p->rank && batch_axis >= 0 &&
            batch_axis < p->rank && time_axis != batch_axis && !p->lens);
    p->axes[place(p, time_axis)].map = PERMUTATION_FLIP_LENS;
    p->batch_axis = place(p, batch_axis);
    p->lens = lens;
}

/* Where all lengths are equal, or none moves an entry, makes the time axis a
 * plain one whose first entries are flipped, and the batch axis one like any
 * other. */
static void simplify_lens(struct permutation *p)
{
    const struct permutation_axis *batch;
    struct permutation_axis *time = p->axes;
    bool unchanged = true, equal = true;

    if (!p->lens)
        return;
    batch = &p->axes[p->batch_axis];
    REQUIRE(batch->map == PERMUTATION_KEEP && batch->extent > 0);
    while (time->map != PERMUTATION_FLIP_LENS)
        time++;
    for (uint64_t b = 0; b < batch->extent; b++) {
        REQUIRE((uint64_t)p->lens[b] <= time->extent);
        unchanged = unchanged && p->lens[b] <= 1;
        equal = equal && p->lens[b] == p->lens[0];
    }
    if (!unchanged && !equal)
        return;
    time->map = unchanged ? PERMUTATION_KEEP : PERMUTATION_FLIP;
    time->flips = unchanged ? 0 : (uint64_t)p->lens[0];
    p->batch_axis = -1;
    permutation_free(p);
}

/* True if axis i can be merged into the axis before it, `last`. A flip of all
 * of a entries and one of all of b entries are one flip of a x b. */
static bool joins(const struct permutation *p, int last, int i)
{
    const struct permutation_axis *outer = &p->axes[last], *inner = &p->axes[i];

    if (last == p->batch_axis || i == p->batch_axis ||
        outer->map != inner->map ||
        outer->stride != inner->stride * inner->extent)
        return false;
    if (outer->map == PERMUTATION_FLIP)
        return outer->flips == outer->extent && inner->flips == inner->extent;
    return outer->map == PERMUTATION_KEEP;
}

/* Drops axes of one entry, and merges others. The batch axis has more entries:
 * one length would be equal to itself, so simplify_lens() has dropped it. */
static void merge_axes(struct permutation *p)
{
    int kept = 0;

    for (int i = 0; i < p->rank; i++) {
        if (p->axes[i].extent == 1)
            continue;
        if (kept > 0 && joins(p, kept - 1, i)) {
            p->axes[kept - 1].extent *= p->axes[i].extent;
            p->axes[kept - 1].flips *= p->axes[i].flips;
            p->axes[kept - 1].stride = p->axes[i].stride;
            continue;
        }
        if (i == p->batch_axis)
            p->batch_axis = kept;
        p->axes[kept++] = p->axes[i];
    }
    p->rank = kept;
}

/* Makes a trailing kept axis the row, and counts strides in rows. */
static void merge_row(struct permutation *p)
{
    const struct permutation_axis *last;

    if (p->rank == 0)
        return;
    last = &p->axes[p->rank - 1];
    if (last->map != PERMUTATION_KEEP || last->stride != 1 ||
        p->batch_axis == p->rank - 1)
        return;
    REQUIRE(p->row_count % last->extent == 0);
    p->row = last->extent;
    p->row_count /= p->row;
    p->rank--;
    for (int i = 0; i < p->rank; i++)
        p->axes[i].stride /= p->row;
}

/* Moves the batch axis before the time axis. */
static void order_batch(struct permutation *p)
{
    struct permutation_axis *batch = &p->axes[p->batch_axis];
    struct permutation_axis *time = p->axes, moved;

    while (time->map != PERMUTATION_FLIP_LENS)
        time++;
    if (batch < time)
        return;
    moved = *batch;
    memmove(time + 1, time, (size_t)(batch - time) * sizeof(moved));
    *time = moved;
    p->batch_axis = (int)(time - p->axes);
}

void permutation_collapse(struct permutation *p)
{
    if (p->row_count == 0) {
        permutation_free(p);
        *p = (struct permutation){.batch_axis = -1, .row = 1};
        return;
    }
    simplify_lens(p);
    merge_axes(p);
    merge_row(p);
    if (p->batch_axis >= 0)
        order_batch(p);
}

void permutation_of_spans(const struct permutation *p,
                          struct permutation *spans)
{
    memcpy(spans, p,
           offsetof(struct permutation, axes) +
               (size_t)p->rank * sizeof(p->axes[0]));
    spans->row = 1;
}

void permutation_free(struct permutation *p)
{
    free(p->lens);
    p->lens = NULL;
}
