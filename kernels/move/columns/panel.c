#include "kernels/move/columns/panel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/move/columns/panel_transfer.h"
#include "kernels/simd/nontemporal.h"

enum {
    LINE = PANEL_BLOCK_BYTES,
    BLOCK = PANEL_TILE_ROWS,
    MIN_WIDTH = 16, /* bytes of a panel's rows: of a tile */
    /* Wide enough to read memory at full bandwidth. */
    MAX_WIDTH = PANEL_BLOCK_ROW_BYTES,
    /* Results of this many bytes are written past the caches, in whole cache
     * lines. */
    COPY_NONTEMPORAL_BYTES = 4 << 20,
    SCRATCH_BYTES = 4 << 20, /* in the third level cache */
};

bool panel_fits(const struct columns_args *args)
{
    return args->size <= 8 && (args->size & (args->size - 1)) == 0 &&
           args->size * args->count >= MIN_WIDTH && args->time >= BLOCK;
}

/* Copies the rows past every length. */
static bool copy_rest(const struct panel_transfer *p)
{
    const struct columns_args *args = p->args;
    size_t width = p->count * args->size;

    for (size_t i = p->rows; i < args->time; i++) {
        size_t at = i * args->step + p->first * args->size;

        if (!cancel_step(args->cancel, width))
            return false;
        if (p->nontemporal)
            nontemporal_copy(args->kernels, args->to + at, args->from + at,
                             width);
        else
            memcpy(args->to + at, args->from + at, width);
    }
    return true;
}

/* Columns of a panel: as many as the scratch memory holds, in whole cache lines
 * where they fill one. */
static size_t columns_of(const struct panel_transfer *p)
{
    size_t size = p->args->size;
    size_t narrow = LINE / size, wide = MAX_WIDTH / size;
    size_t count = SCRATCH_BYTES / (p->rows * size);

    if (count > wide)
        count = wide;
    if (count >= narrow)
        count -= count % narrow;
    return count < p->args->count ? count : p->args->count;
}

/* Minimum panel width: one tile, in columns. */
static size_t tile_of(const struct panel_transfer *p)
{
    return (p->blocked ? LINE : MIN_WIDTH) / p->args->size;
}

/* Width of the next panel: at most `count`; shrinks so that the remainder is
 * never narrower than a tile, or is all of `left`. */
static size_t next_count(size_t count, size_t left, size_t tile)
{
    if (left <= count || left < 2 * tile)
        return left;
    return left - count < tile ? left - tile : count;
}

/* Size of the scratch memory for every panel. */
static size_t scratch_bytes(const struct panel_transfer *p, size_t count)
{
    size_t most = 2 * tile_of(p) - 1;

    return (count > most ? count : most) * p->pitch + LINE;
}

static bool move_panels(struct panel_transfer *p, size_t count)
{
    const struct columns_args *args = p->args;

    for (p->first = 0; p->first < args->count; p->first += p->count) {
        p->count = next_count(count, args->count - p->first, tile_of(p));
        if (!panel_transfer_load(p) || !panel_transfer_store(p) ||
            (!columns_args_in_place(args) && !copy_rest(p)))
            return false;
    }
    return true;
}

/* Chooses the layout of the scratch memory. Returns the columns of a panel. */
static size_t choose_layout(struct panel_transfer *p)
{
    const struct columns_args *args = p->args;
    size_t size = args->size, count;

    p->rows = columns_args_longest(args);
    if (p->rows == 0)
        p->rows = 1;
    p->pitch = ((p->rows * size + LINE - 1) / LINE + 2) * LINE;
    count = columns_of(p);
    p->blocked = args->kernels->panel && count * size >= LINE;
    if (p->blocked)
        return count;
    /* Whole blocks, which may be longer than the longest column. An odd number
     * of cache lines, so that columns do not share cache sets. */
    if (p->rows < BLOCK)
        p->rows = BLOCK;
    p->pitch = (p->rows * size + LINE) / LINE * LINE | LINE;
    return columns_of(p);
}

bool panel_move(const struct columns_args *args, bool *moved)
{
    struct panel_transfer p = {.args = args};
    size_t count = choose_layout(&p), large;
    bool done;

    *moved = false;
    if (count * args->size < MIN_WIDTH)
        return true;
    large = columns_args_in_place(args) ? NONTEMPORAL_BYTES
                                        : COPY_NONTEMPORAL_BYTES;
    p.nontemporal = p.blocked && columns_args_bytes(args) >= large;
    p.scratch = malloc(scratch_bytes(&p, count));
    if (!p.scratch)
        return true;
    *moved = true;
    done = move_panels(&p, count);
    if (p.nontemporal)
        nontemporal_fence();
    free(p.scratch);
    return done;
}
