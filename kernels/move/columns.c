/* Columns of small entries move as panels: some columns at a time are loaded
 * into scratch memory in which each of them is contiguous, and rows of the
 * result are made from it. So memory is read and written row by row. Others,
 * and any without scratch memory, move straight. */
#include "kernels/move/columns.h"

#include <string.h>

#include "kernels/core/require.h"
#include "kernels/core/size.h"

enum {
    PIECE = 256 << 10, /* bytes between two tests of the cancel flag */
    LINE = 64,
    /* Bytes of a panel's rows: enough to read memory at full bandwidth. */
    MAX_WIDTH = 512,
    BLOCK_BYTES = 2048, /* of narrow panels: worth a call */
    /* Bytes of an entry. Measured: columns of such entries are faster straight,
     * up to FAR_WIDE_BYTES of them. */
    MAX_SIZE = 16,
    FAR_WIDE_BYTES = 8 << 20,
    MAX_SCRATCH_BYTES = 4 << 20, /* in the third level cache */
    FAR_BYTES = 1 << 20,         /* columns that the caches may not hold */
    /* Copies of this many bytes are written past the caches. */
    COPY_NONTEMPORAL_BYTES = 4 << 20,
};

static bool in_place(const struct columns_args *args)
{
    return args->from == args->to;
}

/* Bytes from the first column's first entry to the end of its last row. */
static size_t bytes_of(const struct columns_args *args)
{
    return args->time * args->step;
}

/* The largest of the lengths. */
static size_t longest_of(const struct columns_args *args)
{
    size_t longest = 0;

    for (size_t i = 0; i < args->count; i++)
        longest = size_max(longest, (size_t)args->lens[i]);
    return longest;
}

/* Copies the rows from `row` on. Adjacent rows are copied together. */
static bool copy_rows(const struct columns_args *args, size_t row)
{
    size_t width = args->count * args->size, most = 1;

    if (width == args->step && width < PIECE)
        most = PIECE / width;
    for (; row < args->time; row += most) {
        most = size_min(most, args->time - row);
        if (!cancel_step(args->cancel, most * width))
            return false;
        memcpy(args->to + row * args->step, args->from + row * args->step,
               most * width);
    }
    return true;
}

/* Row after row, each entry with its partner; copies are made before. */
static bool move_straight(const struct columns_args *args)
{
    size_t width = args->count * args->size, rows = longest_of(args) / 2;
    struct ragged_columns piece = {.size = args->size,
                                   .count = args->count,
                                   .rows = width < PIECE ? PIECE / width : 1,
                                   .step = args->step,
                                   .lens = args->lens};

    if (!in_place(args) && !copy_rows(args, 0))
        return false;
    for (; piece.row < rows; piece.row += piece.rows) {
        piece.rows = size_min(piece.rows, rows - piece.row);
        if (!cancel_step(args->cancel, piece.rows * width))
            return false;
        args->kernels->swap_columns(args->to, &piece);
    }
    return true;
}

struct panel {
    const struct columns_args *args;    /* borrowed */
    const struct kernel_table *kernels; /* that transpose */
    size_t rows;            /* those that some column reverses, or a block */
    size_t block;           /* rows that are loaded or stored at a time */
    size_t tile;            /* columns of the narrowest panel */
    size_t first, count;    /* columns at hand */
    unsigned char *scratch; /* borrowed; starts a cache line */
    size_t pitch;           /* bytes of a column in the scratch memory */
    bool nontemporal;
};

/* The last block ends where the rows end: its result is the same for rows that
 * it repeats. */
static size_t next_row(const struct panel *p, size_t row)
{
    if (row + p->block == p->rows)
        return p->rows;
    return size_min(row + p->block, p->rows - p->block);
}

/* Loads the panel, in which a column becomes contiguous, or stores it, block by
 * block. The rows of memory after a block are needed next, unless the caches
 * hold all of them or stores go past the caches. */
static bool carry(const struct panel *p, bool stores)
{
    const struct columns_args *args = p->args;
    const unsigned char *from = args->from + p->first * args->size;
    unsigned char *to = args->to + p->first * args->size;
    struct transpose t = {.size = args->size,
                          .rows = stores ? p->count : p->block,
                          .columns = stores ? p->block : p->count,
                          .from_step = stores ? p->pitch : args->step,
                          .to_step = stores ? args->step : p->pitch,
                          .nontemporal = stores && p->nontemporal,
                          .next_step = args->step,
                          .next_bytes = p->count * args->size};
    bool is_far = bytes_of(args) >= FAR_BYTES && !t.nontemporal;

    for (size_t row = 0; row < p->rows; row = next_row(p, row)) {
        size_t next = is_far ? size_min(row + p->block, p->rows) : p->rows;
        unsigned char *entry = p->scratch + row * args->size;

        t.next = (stores ? to : from) + next * args->step;
        t.next_rows = size_min(p->block, p->rows - next);
        if (!cancel_step(args->cancel, p->block * t.next_bytes))
            return false;
        if (stores)
            p->kernels->transpose(entry, to + row * args->step, &t);
        else
            p->kernels->transpose(from + row * args->step, entry, &t);
    }
    return true;
}

/* Reverses the columns in the scratch memory. */
static void reverse(const struct panel *p)
{
    const struct columns_args *args = p->args;
    const struct ragged_rows columns = {.size = args->size,
                                        .rows = p->pitch / args->size,
                                        .count = p->count,
                                        .lens = args->lens + p->first};

    args->kernels->swap_ragged_rows(p->scratch, &columns);
}

/* The last panel has also the columns that are too few for a tile: fewer than
 * one tile more than `columns`. */
static bool move_panels(struct panel *p, size_t columns)
{
    size_t all = p->args->count;

    for (p->first = 0; p->first < all; p->first += p->count) {
        p->count = all - p->first;
        if (p->count >= columns + p->tile)
            p->count = columns;
        if (!carry(p, false))
            return false;
        reverse(p);
        if (!carry(p, true))
            return false;
    }
    return true;
}

/* Columns of a panel, in whole cache lines where they fill one. */
static size_t columns_of(const struct panel *p)
{
    size_t size = p->args->size, line = LINE / size;
    size_t count = size_min(MAX_SCRATCH_BYTES / p->pitch, MAX_WIDTH / size);

    count = count < line ? count : count - count % line;
    return size_min(count, p->args->count);
}

/* Chooses the kernels: a panel has a tile of them in both directions. Returns
 * the columns of a panel, 0 if it is too narrow. The pitch is an odd number of
 * cache lines, so that columns do not share cache sets. */
static size_t choose(struct panel *p, const struct kernel_table *kernels)
{
    const struct columns_args *args = p->args;
    size_t side = kernels->transpose_side / args->size, columns;

    p->kernels = kernels;
    p->tile = side;
    p->rows = size_max(longest_of(args), side);
    p->pitch = (p->rows * args->size + LINE - 1) / LINE * LINE | LINE;
    columns = columns_of(p);
    if (p->rows > args->time || columns < side)
        return 0;
    p->block =
        size_min(size_max(BLOCK_BYTES / (columns * args->size), side), p->rows);
    return columns;
}

/* Returns the columns of a panel, or 0: there is none. */
static size_t prepare(struct panel *p)
{
    const struct columns_args *args = p->args;
    size_t columns;

    if (args->size > MAX_SIZE || (args->size & (args->size - 1)) != 0 ||
        (args->size == MAX_SIZE && bytes_of(args) < FAR_WIDE_BYTES))
        return 0;
    columns = choose(p, args->kernels);
    return columns > 0 ? columns : choose(p, &kernel_table_generic);
}

size_t columns_scratch(const struct columns_args *args)
{
    struct panel p = {.args = args};
    size_t columns = prepare(&p);

    if (columns == 0)
        return 0;
    return size_min(columns + p.tile, args->count) * p.pitch + LINE;
}

static bool move_by_panels(struct panel *p, size_t columns)
{
    const struct columns_args *args = p->args;
    bool done;

    REQUIRE(p->rows <= args->time && columns >= p->tile);
    p->scratch =
        args->scratch + (LINE - (uintptr_t)args->scratch % LINE) % LINE;
    p->nontemporal =
        !in_place(args) && bytes_of(args) >= COPY_NONTEMPORAL_BYTES;
    done =
        move_panels(p, columns) && (in_place(args) || copy_rows(args, p->rows));
    if (p->nontemporal)
        nontemporal_fence();
    return done;
}

bool columns_move(const struct columns_args *args)
{
    struct panel p = {.args = args};
    size_t columns = args->scratch ? prepare(&p) : 0;

    return columns > 0 ? move_by_panels(&p, columns) : move_straight(args);
}
