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
    PART = 4096,
    MOST_PART = 16 << 10, /* an entry */
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

/* Prefetches the partners of a row's entries: no hardware prefetcher predicts
 * where they are. */
static void prefetch_partners(const struct columns_args *args,
                              const struct ragged_columns *piece)
{
    for (size_t i = 0; i < piece->count; i++) {
        size_t len = (size_t)piece->lens[i];
        size_t partner = piece->row < len ? len - 1 - piece->row : piece->row;
        const unsigned char *entry =
            args->from + partner * piece->from_step +
            (size_t)(piece->lens + i - args->lens) * piece->size;

        for (size_t at = 0; at < piece->size; at += LINE)
            __builtin_prefetch(entry + at);
        __builtin_prefetch(entry + piece->size - 1);
    }
}

/* Copies a part of a row: it is assembled in the first level cache and written
 * past the caches. */
static void copy_part(const struct columns_args *args,
                      const struct ragged_columns *part, size_t at)
{
    unsigned char buffer[MOST_PART];

    args->kernels->columns.copy(args->from + at, buffer, part);
    nontemporal_copy(args->kernels, args->to + part->row * args->step + at,
                     buffer, part->count * part->size);
}

/* Moves a row in parts. The next part is prefetched before one is moved. */
static void move_far_row(const struct columns_args *args, size_t row)
{
    struct ragged_columns part = columns_args_row(args), next = part;
    size_t most = args->size < PART ? PART / args->size : 1;

    next.row = row;
    next.count = 0;
    for (size_t done = 0; done < args->count; done += part.count) {
        part = next;
        next.lens = args->lens + done + part.count;
        next.count = least(most, args->count - done - part.count);
        prefetch_partners(args, &next);
        if (columns_args_in_place(args))
            args->kernels->columns.swap(args->to + done * args->size, &part);
        else if (part.count > 0)
            copy_part(args, &part, done * args->size);
    }
}

static void move_near_rows(const struct columns_args *args, size_t row,
                           size_t rows)
{
    struct ragged_columns piece = columns_args_row(args);

    piece.row = row;
    piece.rows = rows;
    if (columns_args_in_place(args))
        args->kernels->columns.swap(args->to, &piece);
    else
        args->kernels->columns.copy(args->from, args->to + row * args->step,
                                    &piece);
}

/* Row after row, each entry from its partner. */
static bool move_straight(const struct columns_args *args)
{
    bool far = is_far(args);
    size_t rows = args->time, most = far ? 1 : rows_of_piece(args);

    if (columns_args_in_place(args))
        rows = columns_args_longest(args) / 2;
    for (size_t row = 0; row < rows; row += most) {
        most = least(most, rows - row);
        if (!cancel_step(args->cancel, most * args->count * args->size))
            return false;
        if (far)
            move_far_row(args, row);
        else
            move_near_rows(args, row, most);
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
    return move_straight(args);
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
