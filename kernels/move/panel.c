#include "kernels/move/panel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/move/nontemporal.h"
#include "kernels/move/panel_blocks.h"

enum {
    LINE = MOVE_BLOCK_BYTES,
    BLOCK = MOVE_PANEL_BLOCK,
    NARROWEST = 16,         /* bytes of a panel's rows: of a tile */
    WIDE = MOVE_BLOCK_WIDE, /* so that memory reads rows at its pace */
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

        if (!cancel_step(p->pace, width))
            return false;
        if (p->stream)
            move_stream(p->to + at, p->from + at, width);
        else
            memcpy(p->to + at, p->from + at, width);
    }
    return true;
}

static size_t longest(const struct move_columns *c)
{
    size_t most = 1;

    for (size_t i = 0; i < c->count; i++)
        if ((size_t)c->lens[i] > most)
            most = (size_t)c->lens[i];
    return most;
}

/* Columns of a panel: as many as fit, in whole lines, or in part of one. */
static size_t columns_of(const struct move_panel *p)
{
    size_t size = p->c->size;
    size_t narrow = LINE / size, wide = WIDE / size;
    size_t count = FAR / (p->rows * size);

    if (count > wide)
        count = wide;
    if (count >= narrow)
        count -= count % narrow;
    return count < p->c->count ? count : p->c->count;
}

/* No panel has fewer columns, */
static size_t tile_of(const struct move_panel *p)
{
    return (p->lines ? LINE : NARROWEST) / p->c->size;
}

/* and one of `count` takes fewer, or all that are left, rather than leave too
 * few. */
static size_t next_count(size_t count, size_t left, size_t tile)
{
    if (left <= count || left < 2 * tile)
        return left;
    return left - count < tile ? left - tile : count;
}

/* The scratch for any panel. */
static size_t bytes_of(const struct move_panel *p, size_t count)
{
    size_t most = 2 * tile_of(p) - 1;

    return (count > most ? count : most) * p->pitch + LINE;
}

static bool run(struct move_panel *p, size_t count)
{
    const struct move_columns *c = p->c;

    for (p->first = 0; p->first < c->count; p->first += p->count) {
        p->count = next_count(count, c->count - p->first, tile_of(p));
        if (!move_panel_take(p) || !move_panel_put(p) ||
            (p->from != p->to && !copy_rest(p)))
            return false;
    }
    return true;
}

/* Which kind of scratch, and how many columns of it. */
static size_t choose(struct move_panel *p)
{
    size_t size = p->c->size, count;

    p->rows = longest(p->c);
    p->pitch = ((p->rows * size + LINE - 1) / LINE + 2) * LINE;
    count = columns_of(p);
    p->lines = p->code->take && count * size >= LINE;
    if (p->lines)
        return count;
    /* Whole blocks, which may reach past the longest column; an odd number of
     * lines, so that columns do not share cache sets. */
    if (p->rows < BLOCK)
        p->rows = BLOCK;
    p->pitch = (p->rows * size + LINE) / LINE * LINE | LINE;
    return columns_of(p);
}

bool move_panel(const struct move_columns *c, const struct move_code *code,
                const unsigned char *from, unsigned char *to,
                struct cancel_check *pace, bool *moved)
{
    struct move_panel p = {
        .c = c, .code = code, .from = from, .to = to, .pace = pace};
    size_t count = choose(&p);
    bool done;

    *moved = false;
    if (count * c->size < NARROWEST)
        return true;
    p.stream = p.lines &&
               c->time * c->step >= (from == to ? MOVE_STREAM_BYTES : STREAMED);
    p.scratch = malloc(bytes_of(&p, count));
    if (!p.scratch)
        return true;
    *moved = true;
    done = run(&p, count);
    if (p.stream)
        move_stream_end();
    free(p.scratch);
    return done;
}
