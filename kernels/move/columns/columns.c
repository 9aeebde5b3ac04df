#include "kernels/move/columns/columns.h"

#include "kernels/move/columns/panel.h"

enum { PIECE = 256 << 10 }; /* bytes between two tests of the cancel flag */

/* Moves `rows` rows of all columns. */
static void move_rows(const struct columns_args *args, size_t row, size_t rows)
{
    const struct ragged_columns piece = {.size = args->size,
                                         .count = args->count,
                                         .row = row,
                                         .rows = rows,
                                         .from_step = args->step,
                                         .to_step = args->step,
                                         .lens = args->lens};

    if (columns_args_in_place(args))
        args->kernels->columns.swap(args->to, &piece);
    else
        args->kernels->columns.copy(args->from, args->to + row * args->step,
                                    &piece);
}

/* Row after row, each entry from its partner. */
static bool move_straight(const struct columns_args *args)
{
    size_t width = args->count * args->size, rows = args->time;
    size_t most = width < PIECE ? PIECE / width : 1;

    if (columns_args_in_place(args))
        rows = columns_args_longest(args) / 2;
    for (size_t row = 0; row < rows; row += most) {
        most = rows - row < most ? rows - row : most;
        if (!cancel_step(args->cancel, most * width))
            return false;
        move_rows(args, row, most);
    }
    return true;
}

size_t columns_scratch(const struct columns_args *args)
{
    return panel_scratch(args);
}

bool columns_move(const struct columns_args *args)
{
    bool done;

    return panel_move(args, &done) ? done : move_straight(args);
}
