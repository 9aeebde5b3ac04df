/* A mover is the memory of a permutation and the kernels that move rows in it.
 * The loops over the permutation find which rows move where: they follow the
 * axes, and take the last two at once where these are sequences with lengths of
 * their own. */
#include "kernels/move/move.h"

#include <string.h>

#include "kernels/core/cancel.h"
#include "kernels/core/require.h"
#include "kernels/core/size.h"
#include "kernels/move/bits.h"
#include "kernels/move/columns.h"

/* The cost of reaching the innermost axis, as the bytes that could be moved in
 * that time. It is counted, so that many short or unchanged spans are too. */
enum { SPAN_COST = 64 };

/* Data of LARGE bytes is in no cache. FAR_ENDS to NEAR bytes are between the
 * ends of planes that are prefetched in the order of their addresses, NEAR
 * bytes ahead. Measured: shorter planes are faster without. */
enum { LARGE = 8 << 20, LINE = 64, FAR_ENDS = 1 << 10, NEAR = 32 << 10 };

/* Units of sequences that are copied before they are reversed there. */
enum { COPY_PIECE = 32 << 10 };

/* Bytes of an entry up to which columns gain from being moved side by side. */
enum { LONGEST_ENTRY = 16 << 10 };

/* All offsets are in units: bytes, or packed elements where rows are not whole
 * bytes. */
struct mover {
    struct bits_memory memory; /* format.bits is 0 where units are bytes */
    size_t total;              /* bytes of each side */
    struct cancel_check cancel;
    const struct permutation *permutation; /* borrowed */
    size_t row;                            /* units of a row */
    unsigned char *scratch;                /* borrowed; or NULL */
    int last_moving; /* innermost axis that is not kept, or -1 */
    uint64_t len;    /* of the batch entry at hand */
};

/* True if each pair of rows is exchanged once, and unchanged rows are left out.
 */
static bool in_place(const struct mover *mover)
{
    return mover->memory.from == mover->memory.to;
}

/* True if both sides of each plane are within the plane, in large data. */
static bool is_near(const struct mover *mover, const struct strided_rows *rows)
{
    return mover->total >= LARGE && rows->batch > 1 &&
           rows->batch_step > FAR_ENDS && rows->batch_step <= NEAR &&
           rows->b > rows->a && rows->b - rows->a < rows->batch_step;
}

/* A plane is read from both ends: no hardware prefetcher predicts that the next
 * plane starts where it ends. */
static void swap_near(const struct mover *mover,
                      const struct strided_rows *rows)
{
    struct strided_rows plane = *rows;

    plane.batch = 1;
    for (size_t i = 0; i < rows->batch; i++) {
        size_t at = plane.a + NEAR, end = at + rows->batch_step;

        for (; at < end && at < mover->total; at += LINE)
            __builtin_prefetch(mover->memory.to + at, 1);
        mover->memory.kernels->swap_rows(mover->memory.to, &plane);
        plane.a += rows->batch_step;
        plane.b += rows->batch_step;
    }
}

static void move_rows(const struct mover *mover,
                      const struct strided_rows *rows)
{
    if (mover->memory.format.bits)
        bits_move_rows(&mover->memory, rows);
    else if (!in_place(mover))
        mover->memory.kernels->copy_rows(mover->memory.from, mover->memory.to,
                                         rows);
    else if (is_near(mover, rows))
        swap_near(mover, rows);
    else
        mover->memory.kernels->swap_rows(mover->memory.to, rows);
}

/* Moves rows of `units` units in all. False when cancelled. */
static bool move_counted(struct mover *mover, const struct strided_rows *rows,
                         size_t units)
{
    if (!cancel_step(&mover->cancel, units))
        return false;
    move_rows(mover, rows);
    return true;
}

/* Moves planes of more than CANCEL_STEP_BYTES units in pieces of at most that:
 * several whole rows, or parts of one. */
static bool move_pieces(struct mover *mover, const struct strided_rows *rows)
{
    size_t most = CANCEL_STEP_BYTES;
    size_t whole = rows->size < most ? most / rows->size : 1;
    struct strided_rows piece = *rows;

    for (size_t i = 0; i < rows->count; i += whole) {
        piece.count = size_min(rows->count - i, whole);
        for (size_t done = 0; done < rows->size; done += most) {
            piece.size = size_min(rows->size - done, most);
            piece.a = rows->a + i * (size_t)rows->a_step + done;
            piece.b = rows->b + i * (size_t)rows->b_step + done;
            if (!move_counted(mover, &piece, piece.count * piece.size))
                return false;
        }
    }
    return true;
}

/* Moves rows: row i at b + i * b_step becomes row i at a + i * a_step; in place
 * the two are exchanged. As many planes at a time as make CANCEL_STEP_BYTES
 * units. False when cancelled. */
static bool move_planes(struct mover *mover, const struct strided_rows *rows)
{
    size_t units = rows->count * rows->size;
    size_t most = CANCEL_STEP_BYTES / (units + SPAN_COST) + 1;
    struct strided_rows all = *rows, part;

    if (rows->a_step == (ptrdiff_t)rows->size && rows->b_step == rows->a_step) {
        all.size = units; /* adjacent rows in the same order are one */
        all.count = 1;
    }
    part = all;
    for (size_t done = 0; done < all.batch; done += most) {
        part.batch = size_min(all.batch - done, most);
        part.a = all.a + done * all.batch_step;
        part.b = all.b + done * all.batch_step;
        if (units > CANCEL_STEP_BYTES
                ? !move_pieces(mover, &part)
                : !move_counted(mover, &part, part.batch * (units + SPAN_COST)))
            return false;
    }
    return true;
}

static void move_sequences(const struct mover *mover, size_t at,
                           const struct ragged_rows *rows)
{
    const size_t bits =
        mover->memory.format.bits ? mover->memory.format.bits : 8;
    struct bits_memory memory = mover->memory;

    memory.from += at * bits / 8;
    memory.to += at * bits / 8;
    if (!in_place(mover))
        memcpy(memory.to, memory.from,
               rows->count * rows->rows * rows->size * bits / 8);
    memory.from = memory.to;
    if (mover->memory.format.bits)
        bits_swap_ragged_rows(&memory, rows);
    else
        mover->memory.kernels->swap_ragged_rows(memory.to, rows);
}

/* Moves sequences that start at unit `at`. A call has about a MiB of them, or
 * as many as the nearest cache holds between a copy and the reversal. False
 * when cancelled. */
static bool move_ragged_rows(struct mover *mover, size_t at,
                             const struct ragged_rows *rows)
{
    size_t units = rows->rows * rows->size;
    size_t piece = in_place(mover) ? CANCEL_STEP_BYTES : COPY_PIECE;
    size_t most = piece / (units + SPAN_COST) + 1;
    struct ragged_rows part = *rows;

    for (size_t done = 0; done < rows->count; done += part.count) {
        part.count = size_min(rows->count - done, most);
        part.lens = rows->lens + done;
        if (!cancel_step(&mover->cancel, part.count * (units + SPAN_COST)))
            return false;
        move_sequences(mover, at + done * units, &part);
    }
    return true;
}

/* True if axis `index` is the batch axis, and it and the axis below it are
 * ragged columns: time-major sequences. */
static bool makes_columns(const struct mover *mover, int index)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[index];

    return index == p->rank - 2 && index == p->batch_axis &&
           axis->stride == 1 && axis[1].map == PERMUTATION_FLIP_LENS &&
           mover->row <= LONGEST_ENTRY && !mover->memory.format.bits;
}

/* The columns, without their memory. */
static struct columns_args describe_columns(const struct mover *mover)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    const struct permutation_axis *time = batch + 1;

    return (struct columns_args){.size = mover->row,
                                 .count = batch->extent,
                                 .time = time->extent,
                                 .step = time->stride * mover->row,
                                 .lens = p->lens,
                                 .kernels = mover->memory.kernels};
}

/* Moves them, from row `a` of the tensor on. False when cancelled. */
static bool run_columns(struct mover *mover, uint64_t a)
{
    struct columns_args args = describe_columns(mover);

    args.from = mover->memory.from + a * mover->row;
    args.to = mover->memory.to + a * mover->row;
    args.scratch = mover->scratch;
    args.cancel = &mover->cancel;
    return columns_move(&args);
}

/* As makes_columns() and run_columns() for ragged rows: batch-major sequences.
 * Packed elements must be rows of one element, and sequences whole bytes. */
static bool makes_rows(const struct mover *mover, int index)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    unsigned bits = mover->memory.format.bits;

    return index == p->rank - 2 && index == p->batch_axis &&
           axis->stride == axis[1].extent && axis[1].stride == 1 &&
           (bits == 0 || (mover->row == 1 && axis->stride * bits % 8 == 0)) &&
           axis->stride * mover->row <= CANCEL_STEP_BYTES;
}

static bool run_rows(struct mover *mover, uint64_t a)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    struct ragged_rows rows = {.size = mover->row,
                               .rows = batch->stride,
                               .count = batch->extent,
                               .lens = p->lens};

    return move_ragged_rows(mover, a * mover->row, &rows);
}

/* How many entries of the axis are reversed: the first ones. */
static uint64_t reversed_entries(const struct mover *mover,
                                 const struct permutation_axis *axis)
{
    if (axis->map == PERMUTATION_FLIP_LENS)
        return mover->len;
    return axis->map == PERMUTATION_FLIP ? axis->flips : 0;
}

/* Moves planes of the innermost axis, from row b to row a of the tensor. */
static bool run_innermost(struct mover *mover, uint64_t a, uint64_t b,
                          const struct strided_rows *planes)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[p->rank - 1];
    ptrdiff_t step = (ptrdiff_t)(axis->stride * mover->row);
    uint64_t flips = reversed_entries(mover, axis);
    bool paired = in_place(mover) && a == b;
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
    return cancel_step(&mover->cancel, SPAN_COST) &&
           (head.count == 0 || move_planes(mover, &head)) &&
           (tail.count == 0 || move_planes(mover, &tail));
}

static bool run_axis(struct mover *mover, int index, uint64_t a, uint64_t b);

/* Pairs entry i of an axis with its partner j. While the offsets of both sides
 * are the same, in place, only j > i is followed, so that each pair is swapped
 * once; j = i is followed only where a deeper axis moves. */
static bool run_entries(struct mover *mover, int index, uint64_t a, uint64_t b)
{
    const struct permutation *p = mover->permutation;
    const struct permutation_axis *axis = &p->axes[index];
    bool paired = in_place(mover) && a == b;
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

    /* The entries of a kept axis above the innermost one are planes of one
     * call. */
    if (index == p->rank - 2 && index != p->batch_axis &&
        axis->map == PERMUTATION_KEEP) {
        planes.batch = axis->extent;
        planes.batch_step = axis->stride * mover->row;
    }
    if (index == p->rank - 1 || planes.batch > 1)
        return run_innermost(mover, a, b, &planes);
    if (a == b && makes_columns(mover, index))
        return run_columns(mover, a);
    if (a == b && makes_rows(mover, index))
        return run_rows(mover, a);
    return run_entries(mover, index, a, b);
}

/* A packed element is the unit only where rows are not whole bytes. */
static void choose_unit(struct mover *mover, struct element_format format)
{
    size_t row = mover->permutation->row;

    if (format.bits < 8 && row % (8 / format.bits) != 0) {
        mover->memory.format = format;
        mover->row = row;
    } else {
        mover->row =
            format.bits < 8 ? row / (8 / format.bits) : row * (format.bits / 8);
    }
}

static struct mover start(const struct permutation *p,
                          struct element_format format)
{
    struct mover mover = {
        .memory.kernels = kernel_table_active(),
        .total = p->row * p->row_count / 8 * format.bits,
        .permutation = p,
        .last_moving = p->rank - 1,
    };

    REQUIRE(format.bits > 0 && format.bits <= 128);
    while (mover.last_moving >= 0 &&
           p->axes[mover.last_moving].map == PERMUTATION_KEEP)
        mover.last_moving--;
    choose_unit(&mover, format);
    return mover;
}

size_t move_scratch(const struct permutation *p, struct element_format format)
{
    const struct mover mover = start(p, format);
    struct columns_args args;

    if (p->rank < 2 || p->row_count == 0 || !makes_columns(&mover, p->rank - 2))
        return 0;
    args = describe_columns(&mover);
    return columns_scratch(&args);
}

static bool run(struct mover *mover, const void *from, void *to)
{
    const struct permutation *p = mover->permutation;
    struct strided_rows whole = {.size = mover->row, .count = 1, .batch = 1};

    mover->memory.from = from;
    mover->memory.to = to;
    if (p->row_count == 0 || (in_place(mover) && mover->last_moving < 0))
        return true;
    return p->rank > 0 ? run_axis(mover, 0, 0, 0) : move_planes(mover, &whole);
}

bool move_swap(const struct permutation *p, struct element_format format,
               void *data, void *scratch, const atomic_bool *cancel)
{
    struct mover mover = start(p, format);

    mover.scratch = scratch;
    mover.cancel.flag = cancel;
    return run(&mover, data, data);
}

bool move_copy(const struct permutation *p, struct element_format format,
               const void *from, void *to, void *scratch,
               const atomic_bool *cancel)
{
    struct mover mover = start(p, format);

    REQUIRE(from != to || p->row_count == 0);
    mover.scratch = scratch;
    mover.cancel.flag = cancel;
    return run(&mover, from, to);
}
