#include "kernels/move/columns/columns.h"

#include "kernels/move/columns/panel.h"
#include "kernels/simd/nontemporal.h"

enum {
    LINE = 64,
    /* Bytes that are moved between two tests of the cancel flag, or a row. */
    PIECE = 256 << 10,
    /* Columns of this many bytes exceed the second level cache. Measured:
     * smaller ones are best moved without prefetches. */
    FAR = 8 << 20,
    /* Bytes of a row that are prefetched at a time, or an entry. */
    PART = 4096,
    MOST_PART = 16 << 10,
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The kernels' arguments for `rows` rows of all columns. */
static struct ragged_columns rows_at(const struct columns_args *args,
                                     size_t row, size_t rows)
{
    return (struct ragged_columns){.size = args->size,
                                   .count = args->count,
                                   .row = row,
                                   .rows = rows,
                                   .from_step = args->step,
                                   .to_step = args->step,
                                   .lens = args->lens};
}

/* Prefetches the partners of a row's entries: no hardware prefetcher predicts
 * where they are. */
static void prefetch_partners(const struct columns_args *args,
                              const struct ragged_columns *part)
{
    for (size_t i = 0; i < part->count; i++) {
        size_t len = (size_t)part->lens[i];
        size_t partner = part->row < len ? len - 1 - part->row : part->row;
        const unsigned char *entry =
            args->from + partner * args->step +
            (size_t)(part->lens + i - args->lens) * part->size;

        for (size_t at = 0; at < part->size; at += LINE)
            __builtin_prefetch(entry + at);
        __builtin_prefetch(entry + part->size - 1);
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
    struct ragged_columns part = rows_at(args, row, 1), next = part;
    size_t most = args->size < PART ? PART / args->size : 1;

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

static void move_rows(const struct columns_args *args, size_t row, size_t rows)
{
    const struct ragged_columns piece = rows_at(args, row, rows);

    if (columns_args_in_place(args))
        args->kernels->columns.swap(args->to, &piece);
    else
        args->kernels->columns.copy(args->from, args->to + row * args->step,
                                    &piece);
}

/* Row after row, each entry from its partner. */
static bool move_straight(const struct columns_args *args)
{
    bool far = args->nontemporal || columns_args_bytes(args) >= FAR;
    size_t width = args->count * args->size, rows = args->time;
    size_t most = far || width > PIECE ? 1 : PIECE / width;

    if (columns_args_in_place(args))
        rows = columns_args_longest(args) / 2;
    for (size_t row = 0; row < rows; row += most) {
        most = least(most, rows - row);
        if (!cancel_step(args->cancel, most * width))
            return false;
        if (far)
            move_far_row(args, row);
        else
            move_rows(args, row, most);
    }
    if (far)
        nontemporal_fence();
    return true;
}

bool columns_move(const struct columns_args *args)
{
    bool done;

    return panel_move(args, &done) ? done : move_straight(args);
}
