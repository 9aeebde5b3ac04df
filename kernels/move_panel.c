#include "kernels/move_panel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/move_panel_blocks.h"
#include "kernels/move_stream.h"

enum {
    LINE = MOVE_PANEL_LINE,
    BLOCK = MOVE_PANEL_BLOCK,
    NARROWEST = 16, /* bytes of a panel's rows: of a tile */
    WIDE = 512,     /* from here on memory reads rows at its pace */
    /* Results of so many bytes are streamed, in whole lines. */
    STREAMED = 4 << 20,
    FAR = 4 << 20, /* scratch, in the third level cache */
};

bool move_panel_takes(const struct move_columns *c)
{
    return c->size <= 8 && (c->size & (c->size - 1)) == 0 &&
           c->size * c->count >= NARROWEST && c->time >= BLOCK;
}

/* What lies beyond every length. */
static bool copy_rest(const struct move_panel *p)
{
    const struct move_columns *c = p->c;
    size_t width = p->count * c->size;

    for (size_t i = p->rows; i < c->time; i++) {
        size_t at = c->at + i * c->step + p->first * c->size;

        if (!move_pace_step(p->pace, width))
            return false;
        if (p->stream)
            move_stream(p->to + at, p->from + at, width);
        else
            memcpy(p->to + at, p->from + at, width);
    }
    return true;
}

/* Rows that move; whole blocks, which may reach past the largest length. */
static size_t rows_of(const struct move_columns *c)
{
    size_t most = BLOCK;

    for (size_t i = 0; i < c->count; i++)
        if ((size_t)c->lens[i] > most)
            most = (size_t)c->lens[i];
    return most;
}

/* Columns of a panel: as many as fit, in whole lines, or in part of one, but no
 * fewer than a tile has and those that it leaves might lack. */
static size_t columns_of(const struct move_panel *p)
{
    size_t size = p->c->size;
    size_t narrow = LINE / size, wide = WIDE / size, tile = NARROWEST / size;
    size_t count = FAR / p->pitch;

    count -= count > 0; /* a pitch more is read */
    if (wide > MOVE_PANEL_COLUMNS)
        wide = MOVE_PANEL_COLUMNS;
    if (count > wide)
        count = wide;
    if (count >= narrow)
        count -= count % narrow;
    else if (count >= tile && count < 2 * tile - 1)
        count = 2 * tile - 1;
    return count < p->c->count ? count : p->c->count;
}

/* Columns of the next panel, of which a full one has `count`: fewer where else
 * too few were left for another, but no fewer than a tile has. */
static size_t next_count(const struct move_panel *p, size_t count)
{
    size_t size = p->c->size, left = p->c->count - p->first;
    size_t tile = NARROWEST / size;
    size_t least = p->code->take && count * size >= LINE ? LINE / size : tile;

    if (left <= count)
        return left;
    if (left - count >= least)
        return count;
    return left - least > tile ? left - least : tile;
}

static bool run(struct move_panel *p, size_t count)
{
    for (p->first = 0; p->first < p->c->count; p->first += p->count) {
        p->count = next_count(p, count);
        move_panel_begin(p);
        if (!move_panel_take(p) || !move_panel_put(p) ||
            (p->from != p->to && !copy_rest(p)))
            return false;
    }
    return true;
}

bool move_panel(const struct move_columns *c, const struct move_code *code,
                const unsigned char *from, unsigned char *to,
                struct move_pace *pace, bool *moved)
{
    int32_t lens[MOVE_PANEL_COLUMNS];
    uint32_t moved_to[MOVE_PANEL_COLUMNS];
    struct move_panel p = {.c = c,
                           .code = code,
                           .from = from,
                           .to = to,
                           .stream = code->put && from != to &&
                                     c->time * c->step >= STREAMED,
                           .pace = pace,
                           .rows = rows_of(c),
                           .lens = lens,
                           .moved = moved_to};
    size_t count;
    bool done;

    /* An odd number of lines, so that columns do not share cache sets. */
    p.pitch = (p.rows * c->size + LINE) / LINE * LINE | LINE;
    count = columns_of(&p);
    *moved = false;
    if (count * c->size < NARROWEST)
        return true;
    p.scratch = malloc((count + 1) * p.pitch);
    if (!p.scratch)
        return true;
    *moved = true;
    done = run(&p, count);
    if (p.stream)
        move_stream_end();
    free(p.scratch);
    return done;
}
