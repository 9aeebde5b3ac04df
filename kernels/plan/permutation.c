#include "kernels/plan/permutation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void permutation_init(struct permutation *m, const struct shape *shape)
{
    uint64_t stride = 1;

    *m = (struct permutation){.rank = shape->rank, .batch_axis = -1, .row = 1};
    for (int i = 0; i < shape->rank; i++) {
        m->axes[i].extent = (uint64_t)shape->dims[i];
        if (shape->dims[i] == 0)
            stride = 0; /* empty: nothing below may overflow or matter */
    }
    for (int i = shape->rank - 1; i >= 0; i--) {
        m->axes[i].stride = stride;
        stride *= m->axes[i].extent;
    }
    m->row_count = stride;
}

void permutation_flip(struct permutation *m, int axis)
{
    m->axes[axis].map = PERMUTATION_FLIP;
    m->axes[axis].flips = m->axes[axis].extent;
}

void permutation_flip_lens(struct permutation *m, int time_axis, int batch_axis,
                           int64_t *lens)
{
    assert(time_axis != batch_axis && !m->lens);
    m->axes[time_axis].map = PERMUTATION_FLIP_LENS;
    m->batch_axis = batch_axis;
    m->lens = lens;
}

/* Turns the time axis into a plain one whose first entries are flipped; the
 * batch axis is like any other. */
static void drop_lens(struct permutation *m, struct permutation_axis *time,
                      uint64_t flips)
{
    time->map = flips > 1 ? PERMUTATION_FLIP : PERMUTATION_KEEP;
    time->flips = flips;
    m->batch_axis = -1;
    free(m->lens);
    m->lens = NULL;
}

static struct permutation_axis *find_time(struct permutation *m)
{
    for (int i = 0; i < m->rank; i++)
        if (m->axes[i].map == PERMUTATION_FLIP_LENS)
            return &m->axes[i];
    return NULL;
}

static void simplify_lens(struct permutation *m)
{
    struct permutation_axis *time = find_time(m);
    bool still = true, equal = true;

    if (!time)
        return;
    assert(m->axes[m->batch_axis].map == PERMUTATION_KEEP);
    for (uint64_t b = 0; b < m->axes[m->batch_axis].extent; b++) {
        still = still && m->lens[b] <= 1;
        equal = equal && m->lens[b] == m->lens[0];
    }
    if (still || equal)
        drop_lens(m, time, still ? 0 : (uint64_t)m->lens[0]);
}

/* Drops axes of one entry. The batch axis is none: one length is equal to
 * itself. */
static void drop_single_axes(struct permutation *m)
{
    int kept = 0;

    for (int i = 0; i < m->rank; i++) {
        if (m->axes[i].extent == 1)
            continue;
        if (i == m->batch_axis)
            m->batch_axis = kept;
        m->axes[kept++] = m->axes[i];
    }
    m->rank = kept;
}

/* Takes the batch axis out of the memory order; its place comes last. */
static struct permutation_axis take_batch(struct permutation *m)
{
    struct permutation_axis batch = m->axes[m->batch_axis];
    size_t behind = (size_t)(m->rank - 1 - m->batch_axis);

    memmove(&m->axes[m->batch_axis], &m->axes[m->batch_axis + 1],
            behind * sizeof(batch));
    m->rank--;
    return batch;
}

/* Whether `inner` goes on where `outer` leaves off. Two flips of all of extents
 * a and b are one flip of a x b. Where the batch axis was taken from between
 * two axes, the strides do not meet. */
static bool joins(const struct permutation_axis *outer,
                  const struct permutation_axis *inner)
{
    if (outer->map != inner->map ||
        outer->stride != inner->stride * inner->extent)
        return false;
    if (outer->map == PERMUTATION_FLIP)
        return outer->flips == outer->extent && inner->flips == inner->extent;
    return outer->map == PERMUTATION_KEEP;
}

static void merge_axes(struct permutation *m)
{
    int kept = 0;

    for (int i = 0; i < m->rank; i++) {
        if (kept > 0 && joins(&m->axes[kept - 1], &m->axes[i])) {
            m->axes[kept - 1].extent *= m->axes[i].extent;
            m->axes[kept - 1].flips *= m->axes[i].flips;
            m->axes[kept - 1].stride = m->axes[i].stride;
        } else {
            m->axes[kept++] = m->axes[i];
        }
    }
    m->rank = kept;
}

/* Makes a trailing kept axis the row, and counts strides in rows. */
static void take_row(struct permutation *m)
{
    const struct permutation_axis *last;

    if (m->rank == 0)
        return;
    last = &m->axes[m->rank - 1];
    if (last->map != PERMUTATION_KEEP || last->stride != 1)
        return;
    m->row = last->extent;
    m->row_count /= m->row;
    m->rank--;
    for (int i = 0; i < m->rank; i++)
        m->axes[i].stride /= m->row;
}

/* Puts the batch axis back, right before the time axis if it was behind it. */
static void insert_batch(struct permutation *m, struct permutation_axis batch)
{
    int place = 0;

    while (m->axes[place].map != PERMUTATION_FLIP_LENS &&
           m->axes[place].stride > batch.stride)
        place++;
    memmove(&m->axes[place + 1], &m->axes[place],
            (size_t)(m->rank - place) * sizeof(batch));
    m->axes[place] = batch;
    m->batch_axis = place;
    m->rank++;
}

static void make_empty(struct permutation *m)
{
    free(m->lens);
    *m = (struct permutation){.batch_axis = -1, .row = 1};
}

void permutation_collapse(struct permutation *m)
{
    struct permutation_axis batch = {0};
    bool has_batch;

    if (m->row_count == 0) {
        make_empty(m);
        return;
    }
    simplify_lens(m);
    drop_single_axes(m);
    has_batch = m->batch_axis >= 0;
    if (has_batch)
        batch = take_batch(m);
    merge_axes(m);
    take_row(m);
    if (has_batch) {
        batch.stride /= m->row;
        insert_batch(m, batch);
    }
}

bool permutation_is_identity(const struct permutation *m)
{
    for (int i = 0; i < m->rank; i++)
        if (m->axes[i].map != PERMUTATION_KEEP)
            return false;
    return true;
}

void permutation_free(struct permutation *m)
{
    free(m->lens);
    m->lens = NULL;
}
