#include "kernels/move/run.h"

#include <assert.h>

/* Bytes of an entry up to which columns gain from being moved side by side. */
enum { LONGEST_ENTRY = 16 << 10 };

/* How many entries of the axis are reversed: the first ones. */
static uint64_t reversed_entries(const struct permutation_run *run,
                                 const struct permutation_axis *axis)
{
    if (axis->map == PERMUTATION_FLIP_LENS)
        return run->len;
    return axis->map == PERMUTATION_FLIP ? axis->flips : 0;
}

/* Hands out planes of the innermost axis, from row b to row a of the tensor. */
static bool run_innermost(struct permutation_run *run, uint64_t a, uint64_t b,
                          const struct strided_rows *planes)
{
    const struct permutation *p = run->permutation;
    const struct permutation_axis *axis = &p->axes[p->rank - 1];
    ptrdiff_t step = (ptrdiff_t)(axis->stride * run->row);
    uint64_t flips = reversed_entries(run, axis);
    bool paired = run->in_place && a == b;
    struct strided_rows head = *planes, tail = *planes;

    head.a = a * run->row;
    head.b = b * run->row + (size_t)step * (flips - 1);
    head.a_step = step;
    head.b_step = -step;
    head.count = paired ? flips / 2 : flips;
    tail.a = a * run->row + (size_t)step * flips;
    tail.b = b * run->row + (size_t)step * flips;
    tail.a_step = tail.b_step = step;
    tail.count = paired ? 0 : axis->extent - flips;
    return cancel_step(&run->cancel, PERMUTATION_RUN_SPAN_COST) &&
           (head.count == 0 || permutation_run_emit(run, &head)) &&
           (tail.count == 0 || permutation_run_emit(run, &tail));
}

/* True if the axis is kept and only the innermost one is below it: its entries
 * are then planes of one job. */
static bool makes_planes(const struct permutation_run *run, int index)
{
    const struct permutation *p = run->permutation;

    return index == p->rank - 2 && index != p->batch_axis &&
           p->axes[index].map == PERMUTATION_KEEP;
}

/* True if the batch axis and the axis below it are ragged columns. */
static bool makes_columns(const struct permutation_run *run, int index)
{
    const struct permutation *p = run->permutation;
    const struct permutation_axis *axis = &p->axes[index];

    return index == p->rank - 2 && index == p->batch_axis &&
           axis->stride == 1 && axis[1].map == PERMUTATION_FLIP_LENS &&
           run->row <= LONGEST_ENTRY && !run->packed.bits;
}

static bool run_columns(struct permutation_run *run, uint64_t a)
{
    const struct permutation *p = run->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    const struct permutation_axis *time = batch + 1;
    struct columns_job job = {
        .size = run->row,
        .count = batch->extent,
        .time = time->extent,
        .step = time->stride * run->row,
        .lens = p->lens,
        .cancel = &run->cancel,
    };

    return run->move_columns(run, a * run->row, &job);
}

/* Packed elements must be rows of one element, and sequences whole bytes. */
static bool are_ragged_rows(const struct permutation_run *run, size_t rows)
{
    unsigned bits = run->packed.bits;

    return bits == 0 || (run->row == 1 && rows * bits % 8 == 0);
}

/* True if the batch axis and the axis below it are ragged rows. */
static bool makes_ragged_rows(const struct permutation_run *run, int index)
{
    const struct permutation *p = run->permutation;
    const struct permutation_axis *axis = &p->axes[index];

    return run->move_ragged_rows && index == p->rank - 2 &&
           index == p->batch_axis && axis->stride == axis[1].extent &&
           axis[1].stride == 1 && are_ragged_rows(run, axis->stride) &&
           axis->stride * run->row <= CANCEL_STEP_BYTES;
}

/* Hands out as many sequences at a time as make CANCEL_STEP_BYTES units. */
static bool run_ragged_rows(struct permutation_run *run, uint64_t a)
{
    const struct permutation *p = run->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    size_t units = batch->stride * run->row;
    size_t most = CANCEL_STEP_BYTES / (units + PERMUTATION_RUN_SPAN_COST) + 1;
    struct ragged_rows part = {.size = run->row, .rows = batch->stride};

    for (size_t done = 0; done < batch->extent; done += part.count) {
        size_t left = batch->extent - done;

        part.count = left < most ? left : most;
        part.lens = p->lens + done;
        if (!cancel_step(&run->cancel,
                         part.count * (units + PERMUTATION_RUN_SPAN_COST)))
            return false;
        run->move_ragged_rows(run, a * run->row + done * units, &part);
    }
    return true;
}

static bool run_axis(struct permutation_run *run, int index, uint64_t a,
                     uint64_t b);

/* Pairs entry i of an axis with its partner j. While the offsets of both sides
 * are the same, in place, only j > i is followed, so that each pair is swapped
 * once; j = i is followed only where a deeper axis moves. */
static bool run_entries(struct permutation_run *run, int index, uint64_t a,
                        uint64_t b)
{
    const struct permutation *p = run->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    bool paired = run->in_place && a == b;
    uint64_t flips = reversed_entries(run, axis);
    uint64_t entries =
        paired && index == run->last_moving ? flips / 2 : axis->extent;

    for (uint64_t i = 0; i < entries; i++) {
        uint64_t j = i < flips ? flips - 1 - i : i;

        if (paired && j < i)
            continue;
        if (index == p->batch_axis)
            run->len = (uint64_t)p->lens[i];
        if (!run_axis(run, index + 1, a + i * axis->stride,
                      b + j * axis->stride))
            return false;
    }
    return true;
}

/* From row b to row a of the tensor. The recursion is as deep as the rank. */
static bool run_axis(struct permutation_run *run, int index, uint64_t a,
                     uint64_t b)
{
    const struct permutation *p = run->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    struct strided_rows planes = {.size = run->row, .batch = 1};

    if (makes_planes(run, index)) {
        planes.batch = axis->extent;
        planes.batch_step = axis->stride * run->row;
    }
    if (index == p->rank - 1 || planes.batch > 1)
        return run_innermost(run, a, b, &planes);
    if (a == b && makes_columns(run, index))
        return run_columns(run, a);
    if (a == b && makes_ragged_rows(run, index))
        return run_ragged_rows(run, a);
    return run_entries(run, index, a, b);
}

static int last_moving(const struct permutation *p)
{
    int axis = p->rank - 1;

    while (axis >= 0 && p->axes[axis].map == PERMUTATION_KEEP)
        axis--;
    return axis;
}

/* A packed element is the unit only where rows are not whole bytes. */
static void choose_unit(struct permutation_run *run,
                        struct element_format format)
{
    size_t row = run->permutation->row;

    if (format.bits < 8 && row % (8 / format.bits) != 0) {
        run->packed = format;
        run->row = row;
    } else {
        run->row =
            format.bits < 8 ? row / (8 / format.bits) : row * (format.bits / 8);
    }
}

bool move_run(struct permutation_run *run, const struct permutation *p,
              struct element_format format)
{
    struct strided_rows whole = {.count = 1, .batch = 1};

    assert(format.bits > 0);
    run->permutation = p;
    run->last_moving = last_moving(p);
    if (p->row_count == 0 || (run->in_place && run->last_moving < 0))
        return true;
    choose_unit(run, format);
    if (p->rank > 0)
        return run_axis(run, 0, 0, 0);
    whole.size = run->row;
    return permutation_run_emit(run, &whole);
}
