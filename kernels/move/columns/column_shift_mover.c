#include "kernels/move/columns/column_shift_mover.h"

enum {
    LINE = 64,
    /* Divided by the size of an entry: bytes up to which this is faster than
     * panels, which transpose small entries at a higher cost. */
    MOST_BYTES = 512 << 10,
};

bool column_shift_mover_fits(const struct columns_args *args)
{
    return args->kernels->column_shift && args->size <= 8 &&
           (args->size & (args->size - 1)) == 0 &&
           args->size * args->count >= LINE &&
           args->time >= COLUMN_SHIFT_MIN_ROWS &&
           args->time <= COLUMN_SHIFT_MAX_ROWS &&
           columns_args_bytes(args) <= MOST_BYTES / args->size;
}

/* The last 64 bytes end where the columns end. Columns that the step before has
 * moved in place are kept. */
bool column_shift_mover_move(const struct columns_args *args)
{
    _Alignas(LINE) unsigned char scratch[COLUMN_SHIFT_SCRATCH_BYTES];
    size_t count = LINE / args->size;

    for (size_t i = 0; i < args->count; i += count) {
        size_t first = i + count <= args->count ? i : args->count - count;
        size_t at = first * args->size;
        struct column_shift columns = {
            .lens = args->lens + first,
            .size = args->size,
            .kept = columns_args_in_place(args) ? i - first : 0,
            .rows = args->time,
            .step = args->step};

        if (!cancel_step(args->cancel, args->time * LINE))
            return false;
        args->kernels->column_shift->run(args->from + at, args->to + at,
                                         scratch, &columns);
    }
    return true;
}
