#include "kernels/move/mover.h"

#include "kernels/move/bits/bits.h"

enum { SPAN_COST = MOVER_SPAN_COST };

/* Data of LARGE bytes is in no cache. FAR_ENDS to NEAR bytes are between the
 * ends of planes that are prefetched in the order of their addresses, NEAR
 * bytes ahead. Measured: shorter planes are faster without. */
enum { LARGE = 8 << 20, LINE = 64, FAR_ENDS = 1 << 10, NEAR = 32 << 10 };

/* True if both sides of each plane are within the plane, in large data. */
static bool is_near(const struct mover *mover, const struct strided_rows *rows)
{
    return mover->total >= LARGE && rows->batch > 1 &&
           rows->batch_step > FAR_ENDS && rows->batch_step <= NEAR &&
           rows->b > rows->a && rows->b - rows->a < rows->batch_step;
}

static void prefetch(const struct mover *mover, size_t at, size_t bytes)
{
    for (size_t end = at + bytes; at < end && at < mover->total; at += LINE)
        __builtin_prefetch(mover->to + at, 1);
}

/* A plane is read from both ends: no hardware prefetcher predicts that the next
 * plane starts where it ends. */
static void swap_near(const struct mover *mover,
                      const struct strided_rows *rows)
{
    struct strided_rows plane = *rows;

    plane.batch = 1;
    for (size_t i = 0; i < rows->batch; i++) {
        prefetch(mover, plane.a + NEAR, rows->batch_step);
        mover->kernels->rows.swap(mover->to, &plane);
        plane.a += rows->batch_step;
        plane.b += rows->batch_step;
    }
}

/* The packed elements, from byte `at` on. */
static struct bits_memory bits_at(const struct mover *mover, size_t at)
{
    return (struct bits_memory){.kernels = mover->kernels,
                                .format = mover->packed,
                                .from = mover->from + at,
                                .to = mover->to + at};
}

static void move_rows(const struct mover *mover,
                      const struct strided_rows *rows)
{
    const struct bits_memory bits = bits_at(mover, 0);

    if (mover->packed.bits)
        bits_move_rows(&bits, rows);
    else if (!mover_in_place(mover))
        mover->kernels->rows.copy(mover->from, mover->to, rows);
    else if (is_near(mover, rows))
        swap_near(mover, rows);
    else
        mover->kernels->rows.swap(mover->to, rows);
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
        size_t left = rows->count - i;

        piece.count = left < whole ? left : whole;
        for (size_t done = 0; done < rows->size; done += most) {
            left = rows->size - done;
            piece.size = left < most ? left : most;
            piece.a = rows->a + i * (size_t)rows->a_step + done;
            piece.b = rows->b + i * (size_t)rows->b_step + done;
            if (!move_counted(mover, &piece, piece.count * piece.size))
                return false;
        }
    }
    return true;
}

/* Rows that are adjacent on both sides, in the same order, are one row. */
static struct strided_rows join_rows(const struct strided_rows *rows)
{
    struct strided_rows joined = *rows;
    ptrdiff_t size = (ptrdiff_t)rows->size;

    if (rows->a_step == size && rows->b_step == size) {
        joined.size *= rows->count;
        joined.count = 1;
    }
    return joined;
}

/* As many planes at a time as make CANCEL_STEP_BYTES units. */
bool mover_move(struct mover *mover, const struct strided_rows *rows)
{
    const struct strided_rows all = join_rows(rows);
    size_t units = all.count * all.size;
    size_t most = CANCEL_STEP_BYTES / (units + SPAN_COST) + 1;
    struct strided_rows part = all;

    for (size_t done = 0; done < all.batch; done += most) {
        size_t left = all.batch - done;

        part.batch = left < most ? left : most;
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
    const struct ragged_row_kernels *kernels = &mover->kernels->ragged_rows;
    const struct bits_memory bits = bits_at(mover, at * mover->packed.bits / 8);

    if (mover->packed.bits)
        bits_move_ragged_rows(&bits, rows);
    else if (mover_in_place(mover))
        kernels->swap(mover->to + at, rows);
    else
        kernels->copy(mover->from + at, mover->to + at, rows);
}

bool mover_move_ragged_rows(struct mover *mover, size_t at,
                            const struct ragged_rows *rows)
{
    size_t units = rows->rows * rows->size;
    size_t most = CANCEL_STEP_BYTES / (units + SPAN_COST) + 1;
    struct ragged_rows part = *rows;

    for (size_t done = 0; done < rows->count; done += part.count) {
        size_t left = rows->count - done;

        part.count = left < most ? left : most;
        part.lens = rows->lens + done;
        if (!cancel_step(&mover->cancel, part.count * (units + SPAN_COST)))
            return false;
        move_sequences(mover, at + done * units, &part);
    }
    return true;
}
