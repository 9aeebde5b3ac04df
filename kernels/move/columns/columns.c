#include "kernels/move/columns/columns.h"

#include "kernels/move/columns/column_shift_mover.h"
#include "kernels/move/columns/panel.h"
#include "kernels/move/columns/row_strip.h"
#include "kernels/simd/nontemporal.h"

enum {
    LINE = 64,
    /* Bytes that are moved between two tests of the cancel flag, or a row. */
    PIECE = 256 << 10,
    /* Columns of this many bytes exceed the second level cache. Measured:
     * smaller ones are best moved without scratch memory and prefetches. */
    FAR = 8 << 20,
    /* Bytes of a row that are prefetched at a time. */
    PREFETCH_BYTES = 4096,
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_far(const struct columns_args *args)
{
    return args->nontemporal || columns_args_bytes(args) >= FAR;
}

static size_t rows_of_piece(const struct columns_args *args)
{
    size_t width = args->count * args->size;

    return width < PIECE ? PIECE / width : 1;
}

static bool copy(const struct columns_args *args)
{
    struct ragged_columns piece = columns_args_row(args);
    size_t most = rows_of_piece(args);

    piece.nontemporal = is_far(args);
    for (; piece.row < args->time; piece.row += most) {
        piece.rows = least(most, args->time - piece.row);
        if (!cancel_step(args->cancel, piece.rows * args->count * args->size))
            return false;
        args->kernels->columns.copy(args->from,
                                    args->to + piece.row * args->step, &piece);
    }
    return true;
}

/* Prefetches the partners of a row's entries: no hardware prefetcher predicts
 * where they are. */
static void prefetch_partners(const struct columns_args *args,
                              const struct ragged_columns *piece)
{
    for (size_t i = 0; i < piece->count; i++) {
        size_t len = (size_t)piece->lens[i];
        size_t partner = piece->row < len ? len - 1 - piece->row : piece->row;
        const unsigned char *entry =
            args->to + partner * piece->from_step +
            (size_t)(piece->lens + i - args->lens) * piece->size;

        for (size_t at = 0; at < piece->size; at += LINE)
            __builtin_prefetch(entry + at);
        __builtin_prefetch(entry + piece->size - 1);
    }
}

/* Swaps a row in parts. The next part is prefetched before one is swapped. */
static void swap_far_row(const struct columns_args *args, size_t row)
{
    struct ragged_columns part = columns_args_row(args), next = part;
    size_t most = args->size < PREFETCH_BYTES ? PREFETCH_BYTES / args->size : 1;

    next.row = row;
    next.count = 0;
    for (size_t done = 0; done < args->count; done += part.count) {
        part = next;
        next.lens = args->lens + done + part.count;
        next.count = least(most, args->count - done - part.count);
        prefetch_partners(args, &next);
        args->kernels->columns.swap(args->to + done * args->size, &part);
    }
}

static bool swap(const struct columns_args *args)
{
    struct ragged_columns piece = columns_args_row(args);
    size_t rows = columns_args_longest(args) / 2;
    bool far = is_far(args);
    size_t most = far ? 1 : rows_of_piece(args);

    for (; piece.row < rows; piece.row += most) {
        piece.rows = least(most, rows - piece.row);
        if (!cancel_step(args->cancel, piece.rows * args->count * args->size))
            return false;
        if (far)
            swap_far_row(args, piece.row);
        else
            args->kernels->columns.swap(args->to, &piece);
    }
    return true;
}

static bool move_rows(const struct columns_args *args)
{
    bool moved = false, done;

    if (columns_args_bytes(args) >= FAR && row_strip_fits(args)) {
        done = row_strip_move(args, &moved);
        if (moved)
            return done;
    }
    return columns_args_in_place(args) ? swap(args) : copy(args);
}

bool columns_move(const struct columns_args *args)
{
    bool moved = false, done;

    if (column_shift_mover_fits(args))
        return column_shift_mover_move(args);
    if (panel_fits(args)) {
        done = panel_move(args, &moved);
        if (moved)
            return done;
    }
    done = move_rows(args);
    if (is_far(args))
        nontemporal_fence();
    return done;
}
