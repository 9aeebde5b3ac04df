#include "kernels/move/columns/columns.h"
#include "kernels/move/loops.h"

/* Bytes of an entry up to which columns gain from being moved side by side. */
enum { LONGEST_ENTRY = 16 << 10 };

bool loops_makes_columns(const struct loops *loops, int index)
{
    const struct permutation *p = loops->permutation;
    const struct permutation_axis *axis = &p->axes[index];

    return index == p->rank - 2 && index == p->batch_axis &&
           axis->stride == 1 && axis[1].map == PERMUTATION_FLIP_LENS &&
           loops->row <= LONGEST_ENTRY && !loops->mover.packed.bits;
}

/* The columns, without their memory. */
static struct columns_args describe_columns(const struct loops *loops)
{
    const struct permutation *p = loops->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    const struct permutation_axis *time = batch + 1;

    return (struct columns_args){.size = loops->row,
                                 .count = batch->extent,
                                 .time = time->extent,
                                 .step = time->stride * loops->row,
                                 .lens = p->lens,
                                 .kernels = loops->mover.kernels};
}

bool loops_run_columns(struct loops *loops, uint64_t a)
{
    struct columns_args args = describe_columns(loops);

    args.from = loops->mover.from + a * loops->row;
    args.to = loops->mover.to + a * loops->row;
    args.scratch = loops->scratch;
    args.cancel = &loops->mover.cancel;
    return columns_move(&args);
}

size_t loops_scratch(const struct loops *loops)
{
    const struct permutation *p = loops->permutation;
    struct columns_args args;

    if (p->rank < 2 || p->row_count == 0 ||
        !loops_makes_columns(loops, p->rank - 2))
        return 0;
    args = describe_columns(loops);
    return columns_scratch(&args);
}

/* Packed elements must be rows of one element, and sequences whole bytes. */
static bool are_ragged_rows(const struct loops *loops, size_t rows)
{
    unsigned bits = loops->mover.packed.bits;

    return bits == 0 || (loops->row == 1 && rows * bits % 8 == 0);
}

bool loops_makes_rows(const struct loops *loops, int index)
{
    const struct permutation *p = loops->permutation;
    const struct permutation_axis *axis = &p->axes[index];

    return index == p->rank - 2 && index == p->batch_axis &&
           axis->stride == axis[1].extent && axis[1].stride == 1 &&
           are_ragged_rows(loops, axis->stride) &&
           axis->stride * loops->row <= CANCEL_STEP_BYTES;
}

bool loops_run_rows(struct loops *loops, uint64_t a)
{
    const struct permutation *p = loops->permutation;
    const struct permutation_axis *batch = &p->axes[p->rank - 2];
    struct ragged_rows rows = {.size = loops->row,
                               .rows = batch->stride,
                               .count = batch->extent,
                               .lens = p->lens};

    return mover_move_ragged_rows(&loops->mover, a * loops->row, &rows);
}
