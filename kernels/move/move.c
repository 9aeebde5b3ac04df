#include "kernels/move/move.h"

#include <assert.h>

#include "kernels/move/dispatch.h"
#include "kernels/move/loops.h"

/* How many entries of the axis are reversed: the first ones. */
static uint64_t reversed_entries(const struct loops *loops,
                                 const struct permutation_axis *axis)
{
    if (axis->map == PERMUTATION_FLIP_LENS)
        return loops->len;
    return axis->map == PERMUTATION_FLIP ? axis->flips : 0;
}

/* Moves planes of the innermost axis, from row b to row a of the tensor. */
static bool run_innermost(struct loops *loops, uint64_t a, uint64_t b,
                          const struct strided_rows *planes)
{
    const struct permutation *p = loops->permutation;
    const struct permutation_axis *axis = &p->axes[p->rank - 1];
    ptrdiff_t step = (ptrdiff_t)(axis->stride * loops->row);
    uint64_t flips = reversed_entries(loops, axis);
    bool paired = mover_in_place(&loops->mover) && a == b;
    struct strided_rows head = *planes, tail = *planes;

    head.a = a * loops->row;
    head.b = b * loops->row + (size_t)step * (flips - 1);
    head.a_step = step;
    head.b_step = -step;
    head.count = paired ? flips / 2 : flips;
    tail.a = a * loops->row + (size_t)step * flips;
    tail.b = b * loops->row + (size_t)step * flips;
    tail.a_step = tail.b_step = step;
    tail.count = paired ? 0 : axis->extent - flips;
    return cancel_step(&loops->mover.cancel, MOVER_SPAN_COST) &&
           (head.count == 0 || mover_move(&loops->mover, &head)) &&
           (tail.count == 0 || mover_move(&loops->mover, &tail));
}

/* True if the axis is kept and only the innermost one is below it: its entries
 * are then planes of one call. */
static bool makes_planes(const struct loops *loops, int index)
{
    const struct permutation *p = loops->permutation;

    return index == p->rank - 2 && index != p->batch_axis &&
           p->axes[index].map == PERMUTATION_KEEP;
}

static bool run_axis(struct loops *loops, int index, uint64_t a, uint64_t b);

/* Pairs entry i of an axis with its partner j. While the offsets of both sides
 * are the same, in place, only j > i is followed, so that each pair is swapped
 * once; j = i is followed only where a deeper axis moves. */
static bool run_entries(struct loops *loops, int index, uint64_t a, uint64_t b)
{
    const struct permutation *p = loops->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    bool paired = mover_in_place(&loops->mover) && a == b;
    uint64_t flips = reversed_entries(loops, axis);
    uint64_t entries =
        paired && index == loops->last_moving ? flips / 2 : axis->extent;

    for (uint64_t i = 0; i < entries; i++) {
        uint64_t j = i < flips ? flips - 1 - i : i;

        if (paired && j < i)
            continue;
        if (index == p->batch_axis)
            loops->len = (uint64_t)p->lens[i];
        if (!run_axis(loops, index + 1, a + i * axis->stride,
                      b + j * axis->stride))
            return false;
    }
    return true;
}

/* From row b to row a of the tensor. The recursion is as deep as the rank. */
static bool run_axis(struct loops *loops, int index, uint64_t a, uint64_t b)
{
    const struct permutation *p = loops->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    struct strided_rows planes = {.size = loops->row, .batch = 1};

    if (makes_planes(loops, index)) {
        planes.batch = axis->extent;
        planes.batch_step = axis->stride * loops->row;
    }
    if (index == p->rank - 1 || planes.batch > 1)
        return run_innermost(loops, a, b, &planes);
    if (a == b && loops_makes_columns(loops, index))
        return loops_run_columns(loops, a);
    if (a == b && loops_makes_rows(loops, index))
        return loops_run_rows(loops, a);
    return run_entries(loops, index, a, b);
}

static int last_moving(const struct permutation *p)
{
    int axis = p->rank - 1;

    while (axis >= 0 && p->axes[axis].map == PERMUTATION_KEEP)
        axis--;
    return axis;
}

/* A packed element is the unit only where rows are not whole bytes. */
static void choose_unit(struct loops *loops, struct element_format format)
{
    size_t row = loops->permutation->row;

    if (format.bits < 8 && row % (8 / format.bits) != 0) {
        loops->mover.packed = format;
        loops->row = row;
    } else {
        loops->row =
            format.bits < 8 ? row / (8 / format.bits) : row * (format.bits / 8);
    }
}

static struct loops start(const struct permutation *p,
                          struct element_format format)
{
    struct loops loops = {
        .mover = {.total = p->row * p->row_count / 8 * format.bits,
                  .kernels = dispatch_kernels()},
        .permutation = p,
        .last_moving = last_moving(p),
    };

    assert(format.bits > 0);
    choose_unit(&loops, format);
    return loops;
}

size_t move_scratch(const struct permutation *p, struct element_format format)
{
    struct loops loops = start(p, format);

    return loops_scratch(&loops);
}

static bool run(struct loops *loops)
{
    const struct permutation *p = loops->permutation;
    struct strided_rows whole = {.size = loops->row, .count = 1, .batch = 1};

    if (p->row_count == 0 ||
        (mover_in_place(&loops->mover) && loops->last_moving < 0))
        return true;
    if (p->rank > 0)
        return run_axis(loops, 0, 0, 0);
    return mover_move(&loops->mover, &whole);
}

bool move_swap(const struct permutation *p, struct element_format format,
               void *data, void *scratch, const atomic_bool *cancel)
{
    struct loops loops = start(p, format);

    loops.mover.from = loops.mover.to = data;
    loops.mover.cancel.flag = cancel;
    loops.scratch = scratch;
    return run(&loops);
}

/* Packed elements are written without changing the other bits of a byte, so the
 * last byte is zeroed first. */
static void clear_padding(const struct permutation *p, unsigned bits,
                          unsigned char *to)
{
    uint64_t per_byte = 8 / bits;
    uint64_t count = p->row * p->row_count;

    if (count % per_byte != 0)
        to[count / per_byte] = 0;
}

bool move_copy(const struct permutation *p, struct element_format format,
               const void *from, void *to, void *scratch,
               const atomic_bool *cancel)
{
    struct loops loops = start(p, format);

    if (format.bits < 8)
        clear_padding(p, format.bits, to);
    loops.mover.from = from;
    loops.mover.to = to;
    loops.mover.cancel.flag = cancel;
    loops.scratch = scratch;
    return run(&loops);
}
