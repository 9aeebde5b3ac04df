#include "kernels/move/mover.h"

enum { SPAN_COST = MOVER_SPAN_COST };

/* Hands out planes of more than CANCEL_STEP_BYTES units in pieces of at most
 * that: several whole rows, or parts of one. */
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
            if (!cancel_step(&mover->cancel, piece.count * piece.size))
                return false;
            mover->move(mover, &piece);
        }
    }
    return true;
}

/* As many planes at a time as make CANCEL_STEP_BYTES units. */
bool mover_move(struct mover *mover, const struct strided_rows *rows)
{
    size_t units = rows->count * rows->size;
    size_t most = CANCEL_STEP_BYTES / (units + SPAN_COST) + 1;
    struct strided_rows part = *rows;

    for (size_t done = 0; done < rows->batch; done += most) {
        size_t left = rows->batch - done;

        part.batch = left < most ? left : most;
        part.a = rows->a + done * rows->batch_step;
        part.b = rows->b + done * rows->batch_step;
        if (units > CANCEL_STEP_BYTES) {
            if (!move_pieces(mover, &part))
                return false;
        } else {
            if (!cancel_step(&mover->cancel, part.batch * (units + SPAN_COST)))
                return false;
            mover->move(mover, &part);
        }
    }
    return true;
}
