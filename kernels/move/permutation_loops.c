#include "kernels/move/permutation_loops.h"

#include <assert.h>

/* Bytes of an entry up to which columns gain from being moved side by side. */
enum { LONGEST_ENTRY = 16 << 10 };

/* How many entries of the axis are reversed: the first ones. */
static uint64_t reversed_entries(const struct mover *mover,
                                 const struct permutation_axis *axis)
{
    if (axis->map == PERMUTATION_FLIP_LENS)
        return mover->len;
    return axis->map == PERMUTATION_FLIP ? axis->flips : 0;
}

/* Hands out planes of the innermost axis, from row b to row a of the tensor. */
static bool run_innermost(struct mover *mover, uint64_t a, uint64_t b,
                          const struct strided_rows *planes)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[p->rank - 1];
    ptrdiff_t step = (ptrdiff_t)(axis->stride * mover->row);
    uint64_t flips = reversed_entries(mover, axis);
    bool paired = mover->in_place && a == b;
    struct strided_rows head = *planes, tail = *planes;

    head.a = a * mover->row;
    head.b = b * mover->row + (size_t)step * (flips - 1);
    head.a_step = step;
    head.b_step = -step;
    head.count = paired ? flips / 2 : flips;
    tail.a = a * mover->row + (size_t)step * flips;
    tail.b = b * mover->row + (size_t)step * flips;
    tail.a_step = tail.b_step = step;
    tail.count = paired ? 0 : axis->extent - flips;
    return cancel_step(&mover->cancel, MOVER_SPAN_COST) &&
           (head.count == 0 || mover_move(mover, &head)) &&
           (tail.count == 0 || mover_move(mover, &tail));
}

/* True if the axis is kept and only the innermost one is below it: its entries
 * are then planes of one call. */
static bool makes_planes(const struct mover *mover, int index)
{
    const struct permutation *p = mover->permutation;

    return index == p->rank - 2 && index != p->batch_axis &&
           p->axes[index].map == PERMUTATION_KEEP;
}

/* True if the batch axis and the axis below it are ragged columns. */
static bool makes_columns(const struct mover *mover, int index)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[index];

    return index == p->rank - 2 && index == p->batch_axis &&
           axis->stride == 1 && axis[1].map == PERMUTATION_FLIP_LENS &&
           mover->row <= LONGEST_ENTRY && !mover->packed.bits;
}

static bool run_columns(struct mover *mover, uint64_t a)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    const struct permutation_axis *time = batch + 1;
    struct columns_args args = {
        .size = mover->row,
        .count = batch->extent,
        .time = time->extent,
        .step = time->stride * mover->row,
        .lens = p->lens,
        .cancel = &mover->cancel,
    };

    return mover->move_columns(mover, a * mover->row, &args);
}

/* Packed elements must be rows of one element, and sequences whole bytes. */
static bool are_ragged_rows(const struct mover *mover, size_t rows)
{
    unsigned bits = mover->packed.bits;

    return bits == 0 || (mover->row == 1 && rows * bits % 8 == 0);
}

/* True if the batch axis and the axis below it are ragged rows. */
static bool makes_ragged_rows(const struct mover *mover, int index)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[index];

    return mover->move_ragged_rows && index == p->rank - 2 &&
           index == p->batch_axis && axis->stride == axis[1].extent &&
           axis[1].stride == 1 && are_ragged_rows(mover, axis->stride) &&
           axis->stride * mover->row <= CANCEL_STEP_BYTES;
}

/* Hands out as many sequences at a time as make CANCEL_STEP_BYTES units. */
static bool run_ragged_rows(struct mover *mover, uint64_t a)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    size_t units = batch->stride * mover->row;
    size_t most = CANCEL_STEP_BYTES / (units + MOVER_SPAN_COST) + 1;
    struct ragged_rows part = {.size = mover->row, .rows = batch->stride};

    for (size_t done = 0; done < batch->extent; done += part.count) {
        size_t left = batch->extent - done;

        part.count = left < most ? left : most;
        part.lens = p->lens + done;
        if (!cancel_step(&mover->cancel,
                         part.count * (units + MOVER_SPAN_COST)))
            return false;
        mover->move_ragged_rows(mover, a * mover->row + done * units, &part);
    }
    return true;
}

static bool run_axis(struct mover *mover, int index, uint64_t a, uint64_t b);

/* Pairs entry i of an axis with its partner j. While the offsets of both sides
 * are the same, in place, only j > i is followed, so that each pair is swapped
 * once; j = i is followed only where a deeper axis moves. */
static bool run_entries(struct mover *mover, int index, uint64_t a, uint64_t b)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    bool paired = mover->in_place && a == b;
    uint64_t flips = reversed_entries(mover, axis);
    uint64_t entries =
        paired && index == mover->last_moving ? flips / 2 : axis->extent;

    for (uint64_t i = 0; i < entries; i++) {
        uint64_t j = i < flips ? flips - 1 - i : i;

        if (paired && j < i)
            continue;
        if (index == p->batch_axis)
            mover->len = (uint64_t)p->lens[i];
        if (!run_axis(mover, index + 1, a + i * axis->stride,
                      b + j * axis->stride))
            return false;
    }
    return true;
}

/* From row b to row a of the tensor. The recursion is as deep as the rank. */
static bool run_axis(struct mover *mover, int index, uint64_t a, uint64_t b)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    struct strided_rows planes = {.size = mover->row, .batch = 1};

    if (makes_planes(mover, index)) {
        planes.batch = axis->extent;
        planes.batch_step = axis->stride * mover->row;
    }
    if (index == p->rank - 1 || planes.batch > 1)
        return run_innermost(mover, a, b, &planes);
    if (a == b && makes_columns(mover, index))
        return run_columns(mover, a);
    if (a == b && makes_ragged_rows(mover, index))
        return run_ragged_rows(mover, a);
    return run_entries(mover, index, a, b);
}

static int last_moving(const struct permutation *p)
{
    int axis = p->rank - 1;

    while (axis >= 0 && p->axes[axis].map == PERMUTATION_KEEP)
        axis--;
    return axis;
}

/* A packed element is the unit only where rows are not whole bytes. */
static void choose_unit(struct mover *mover, struct element_format format)
{
    size_t row = mover->permutation->row;

    if (format.bits < 8 && row % (8 / format.bits) != 0) {
        mover->packed = format;
        mover->row = row;
    } else {
        mover->row =
            format.bits < 8 ? row / (8 / format.bits) : row * (format.bits / 8);
    }
}

bool permutation_loops_run(struct mover *mover, const struct permutation *p,
                           struct element_format format)
{
    struct strided_rows whole = {.count = 1, .batch = 1};

    assert(format.bits > 0);
    mover->permutation = p;
    mover->last_moving = last_moving(p);
    if (p->row_count == 0 || (mover->in_place && mover->last_moving < 0))
        return true;
    choose_unit(mover, format);
    if (p->rank > 0)
        return run_axis(mover, 0, 0, 0);
    whole.size = mover->row;
    return mover_move(mover, &whole);
}
