#include "kernels/move/run.h"

#include <assert.h>

/* What reaching the innermost axis costs beside the bytes, so that many short
 * or still ones are counted too: the bytes that could be moved in the time. */
enum { STRETCH_COST = 64 };

/* Bytes up to which columns gain from being moved side by side. */
enum { LONGEST_ENTRY = 16 << 10 };

/* Hands out one plane of more than CANCEL_STEP_BYTES units in pieces of at most
 * that: several whole rows, or parts of one. */
static bool emit_pieces(struct move_walk *walk, const struct move_rows *rows)
{
    size_t most = CANCEL_STEP_BYTES;
    size_t whole = rows->size < most ? most / rows->size : 1;
    struct move_rows piece = *rows;

    for (size_t i = 0; i < rows->count; i += whole) {
        size_t left = rows->count - i;

        piece.count = left < whole ? left : whole;
        for (size_t done = 0; done < rows->size; done += most) {
            left = rows->size - done;
            piece.size = left < most ? left : most;
            piece.a = rows->a + i * (size_t)rows->a_step + done;
            piece.b = rows->b + i * (size_t)rows->b_step + done;
            if (!cancel_step(&walk->pace, piece.count * piece.size))
                return false;
            walk->move(walk, &piece);
        }
    }
    return true;
}

/* Hands out as many planes at a time as make CANCEL_STEP_BYTES units. */
static bool emit(struct move_walk *walk, const struct move_rows *rows)
{
    size_t units = rows->count * rows->size;
    size_t most = CANCEL_STEP_BYTES / (units + STRETCH_COST) + 1;
    struct move_rows part = *rows;

    for (size_t done = 0; done < rows->planes; done += most) {
        size_t left = rows->planes - done;

        part.planes = left < most ? left : most;
        part.a = rows->a + done * rows->plane_step;
        part.b = rows->b + done * rows->plane_step;
        if (units > CANCEL_STEP_BYTES) {
            if (!emit_pieces(walk, &part))
                return false;
        } else {
            if (!cancel_step(&walk->pace, part.planes * (units + STRETCH_COST)))
                return false;
            walk->move(walk, &part);
        }
    }
    return true;
}

/* How many entries of the axis change places: the first ones. */
static uint64_t flipped(const struct move_walk *walk,
                        const struct permutation_axis *axis)
{
    if (axis->map == PERMUTATION_FLIP_LENS)
        return walk->len;
    return axis->map == PERMUTATION_FLIP ? axis->flips : 0;
}

/* Planes of the innermost axis, from row b to row a of the tensor. */
static bool walk_last(struct move_walk *walk, uint64_t a, uint64_t b,
                      const struct move_rows *planes)
{
    const struct permutation_axis *axis = &walk->m->axes[walk->m->rank - 1];
    ptrdiff_t step = (ptrdiff_t)(axis->stride * walk->row);
    uint64_t flips = flipped(walk, axis);
    bool paired = walk->in_place && a == b;
    struct move_rows head = *planes, tail = *planes;

    head.a = a * walk->row;
    head.b = b * walk->row + (size_t)step * (flips - 1);
    head.a_step = step;
    head.b_step = -step;
    head.count = paired ? flips / 2 : flips;
    tail.a = a * walk->row + (size_t)step * flips;
    tail.b = b * walk->row + (size_t)step * flips;
    tail.a_step = tail.b_step = step;
    tail.count = paired ? 0 : axis->extent - flips;
    return cancel_step(&walk->pace, STRETCH_COST) &&
           (head.count == 0 || emit(walk, &head)) &&
           (tail.count == 0 || emit(walk, &tail));
}

/* Whether all entries of the axis do the same to the innermost one, at the
 * same place: planes of one span. */
static bool makes_planes(const struct move_walk *walk, int index)
{
    return index == walk->m->rank - 2 && index != walk->m->batch_axis &&
           walk->m->axes[index].map == PERMUTATION_KEEP;
}

/* Columns side by side, each with its own length: time-major sequences. */
static bool walk_columns(struct move_walk *walk, uint64_t a)
{
    const struct permutation_axis *batch = &walk->m->axes[walk->m->rank - 2];
    const struct permutation_axis *time = batch + 1;
    struct move_columns columns = {
        .at = a * walk->row,
        .size = walk->row,
        .count = batch->extent,
        .time = time->extent,
        .step = time->stride * walk->row,
        .lens = walk->m->lens,
    };

    return walk->columns(walk, &columns);
}

static bool makes_columns(const struct move_walk *walk, int index)
{
    const struct permutation_axis *axis = &walk->m->axes[index];

    return index == walk->m->rank - 2 && index == walk->m->batch_axis &&
           axis->stride == 1 && axis[1].map == PERMUTATION_FLIP_LENS &&
           walk->row <= LONGEST_ENTRY && !walk->packing.bits;
}

/* Sequences one after the other, as many at a time as make CANCEL_STEP_BYTES.
 */
static bool walk_sequences(struct move_walk *walk, uint64_t a)
{
    const struct permutation_axis *batch = &walk->m->axes[walk->m->rank - 2];
    size_t bytes = batch->stride * walk->row;
    size_t most = CANCEL_STEP_BYTES / (bytes + STRETCH_COST) + 1;
    struct move_sequences part = {.size = walk->row, .rows = batch->stride};

    for (size_t done = 0; done < batch->extent; done += part.count) {
        size_t left = batch->extent - done;

        part.count = left < most ? left : most;
        part.lens = walk->m->lens + done;
        if (!cancel_step(&walk->pace, part.count * (bytes + STRETCH_COST)))
            return false;
        walk->sequences(walk, a * walk->row + done * bytes, &part);
    }
    return true;
}

/* Packed ones have rows of one element, and start with a byte. */
static bool are_sequences(const struct move_walk *walk, size_t rows)
{
    unsigned bits = walk->packing.bits;

    return bits == 0 || (walk->row == 1 && rows * bits % 8 == 0);
}

static bool makes_sequences(const struct move_walk *walk, int index)
{
    const struct permutation_axis *axis = &walk->m->axes[index];

    return walk->sequences && index == walk->m->rank - 2 &&
           index == walk->m->batch_axis && axis->stride == axis[1].extent &&
           axis[1].stride == 1 && are_sequences(walk, axis->stride) &&
           axis->stride * walk->row <= CANCEL_STEP_BYTES;
}

/* While the two offsets are the same, in place, entry i is paired with entry
 * j > i only, so that each pair is met once, and goes on unpaired (j = i) only
 * where a deeper axis moves. Depth of the recursion: the rank. */
static bool walk_axis(struct move_walk *walk, int index, uint64_t a, uint64_t b)
{
    const struct permutation_axis *axis = &walk->m->axes[index];
    struct move_rows planes = {.size = walk->row, .planes = 1};
    bool paired = walk->in_place && a == b;
    uint64_t flips, entries;

    if (makes_planes(walk, index)) {
        planes.planes = axis->extent;
        planes.plane_step = axis->stride * walk->row;
    }
    if (index == walk->m->rank - 1 || planes.planes > 1)
        return walk_last(walk, a, b, &planes);
    if (a == b && makes_columns(walk, index))
        return walk_columns(walk, a);
    if (a == b && makes_sequences(walk, index))
        return walk_sequences(walk, a);
    flips = flipped(walk, axis);
    entries = paired && index == walk->last_moving ? flips / 2 : axis->extent;
    for (uint64_t i = 0; i < entries; i++) {
        uint64_t j = i < flips ? flips - 1 - i : i;

        if (paired && j < i)
            continue;
        if (index == walk->m->batch_axis)
            walk->len = (uint64_t)walk->m->lens[i];
        if (!walk_axis(walk, index + 1, a + i * axis->stride,
                       b + j * axis->stride))
            return false;
    }
    return true;
}

static int last_moving(const struct permutation *m)
{
    int axis = m->rank - 1;

    while (axis >= 0 && m->axes[axis].map == PERMUTATION_KEEP)
        axis--;
    return axis;
}

bool move_walk_run(struct move_walk *walk, const struct permutation *m,
                   unsigned bits, bool high_first)
{
    struct move_rows whole = {.count = 1, .planes = 1};

    assert(bits > 0);
    walk->m = m;
    walk->last_moving = last_moving(m);
    if (m->row_count == 0 || (walk->in_place && walk->last_moving < 0))
        return true;
    if (bits < 8 && m->row % (8 / bits) != 0) {
        walk->packing = (struct move_bits){bits, high_first};
        walk->row = m->row;
    } else {
        walk->row = bits < 8 ? m->row / (8 / bits) : m->row * (bits / 8);
    }
    if (m->rank > 0)
        return walk_axis(walk, 0, 0, 0);
    whole.size = walk->row;
    return emit(walk, &whole);
}
