#include "kernels/move_slab.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move_stage.h"

enum {
    LINE = 64,
    /* Memory reads rows of so many bytes at its pace. */
    WIDE = 1024,
    MOST_BYTES = 4 << 20, /* of a slab */
    ROWS_AHEAD = 8,       /* that are asked for before they are taken */
    SHORT = 16,           /* bytes of an entry, of which a line has many */
};

/* Some columns, row after row. */
struct slab {
    size_t first, count;
    size_t pitch; /* bytes from one row to the next */
    unsigned char *rows;
};

bool move_slab_takes(const struct move_columns_run *r)
{
    bool lines = ((uintptr_t)r->to | r->c->step) % LINE == 0;
    /* Measured: from there on entries are best moved straight. A line of the
     * result that two slabs share costs more than one that is read twice. */
    size_t straight = r->from == r->to ? SHORT : lines ? LINE : SHORT + 1;

    return r->c->size < straight && r->c->time <= MOST_BYTES / (2 * LINE);
}

static void take(const struct move_columns_run *r, const struct slab *slab,
                 size_t row, size_t rows)
{
    const unsigned char *from =
        r->from + row * r->c->step + slab->first * r->c->size;
    size_t width = slab->count * r->c->size;

    if (row + ROWS_AHEAD < rows)
        for (size_t at = 0; at < width; at += LINE)
            __builtin_prefetch(from + ROWS_AHEAD * r->c->step + at);
    memcpy(slab->rows + row * slab->pitch, from, width);
}

/* A row of the result. */
static void put(const struct move_columns_run *r, const struct slab *slab,
                size_t row, struct move_stage *stage)
{
    const struct move_columns *c = r->c;
    struct move_tile tile = move_columns_tile(c);
    unsigned char *to = r->to + row * c->step + slab->first * c->size;

    tile.row = row;
    tile.count = slab->count;
    tile.lens = c->lens + slab->first;
    tile.from_step = slab->pitch;
    r->code->copy_columns(slab->rows, move_stage_room(stage, to), &tile);
    move_stage_put(stage, slab->count * c->size);
}

/* Puts one slab together while the next is taken: memory reads and writes at
 * the same time. Either may have no columns. */
static bool move(const struct move_columns_run *r, size_t rows,
                 const struct slab *now, const struct slab *next)
{
    struct move_stage stage;
    bool going = true;

    move_stage_init(&stage, r->code, 0);
    for (size_t row = 0; row < rows && going; row++) {
        if (now->count > 0)
            put(r, now, row, &stage);
        if (next->count > 0)
            take(r, next, row, rows);
        going = move_pace_step(r->pace, (now->count + 1) * r->c->size);
    }
    move_stage_flush(&stage);
    return going;
}

/* As many columns as end with a line of the result, if they start with one. */
static size_t columns_of(const struct move_columns *c, size_t rows)
{
    size_t most = MOST_BYTES / rows - LINE, whole = LINE, count;

    while (whole > 1 && c->size * (whole / 2) % LINE == 0)
        whole /= 2;
    count = (most < WIDE ? most : WIDE) / c->size;
    if (count >= c->count)
        return c->count;
    return count > whole ? count - count % whole : count;
}

static bool run(const struct move_columns_run *r, size_t rows, size_t most,
                struct slab *now, struct slab *next)
{
    size_t taken = 0;

    do {
        struct slab last = *now;

        *now = *next;
        *next = last;
        next->first = taken;
        next->count = most < r->c->count - taken ? most : r->c->count - taken;
        taken += next->count;
        if (!move(r, rows, now, next))
            return false;
    } while (next->count > 0);
    return true;
}

bool move_slab(const struct move_columns_run *r, bool *moved)
{
    const struct move_columns *c = r->c;
    size_t rows = r->from == r->to ? move_columns_longest(c) : c->time;
    size_t most = columns_of(c, rows);
    /* An odd number of lines, so that rows do not share cache sets. */
    size_t pitch = (((most * c->size + LINE - 1) / LINE) | 1) * LINE;
    unsigned char *scratch = malloc(2 * rows * pitch);
    struct slab now = {0, 0, pitch, scratch}, next = now;
    bool done;

    *moved = scratch != NULL;
    if (!scratch)
        return false;
    next.rows += rows * pitch;
    done = run(r, rows, most, &now, &next);
    free(scratch);
    return done;
}
