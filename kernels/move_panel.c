#include "kernels/move_panel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/move_stream.h"

enum {
    LINE = 64,
    BLOCK = 16,     /* entries of time taken at once: of a tile of bytes */
    NARROWEST = 16, /* bytes of a panel's rows: of a tile */
    WIDE = 256,     /* from here on memory reads rows at its pace */
    WIDEST = 512,
    NEAR = 1 << 20, /* scratch that stays in the second level cache, */
    FAR = 4 << 20,  /* in the third: better than narrow panels */
};

struct panel {
    const struct move_columns *c;
    const struct move_code *code;
    const unsigned char *from;
    unsigned char *to;
    bool stream;
    struct move_pace *pace;
    unsigned char *scratch; /* owned; a column every `pitch` bytes */
    size_t pitch;
    size_t rows;  /* entries of time that move */
    size_t first; /* column */
    size_t count; /* columns */
};

bool move_panel_takes(const struct move_columns *c)
{
    return c->size <= 8 && (c->size & (c->size - 1)) == 0 &&
           c->size * c->count >= NARROWEST && c->time >= BLOCK;
}

/* The last block ends where the rows do: what it repeats comes out the same. */
static size_t next_block(const struct panel *p, size_t at)
{
    if (at + BLOCK >= p->rows)
        return p->rows;
    return at + BLOCK <= p->rows - BLOCK ? at + BLOCK : p->rows - BLOCK;
}

/* Asks for the rows of the next block: a stride apart, no processor guesses
 * them. */
static void prefetch(const struct panel *p, const unsigned char *data, size_t t)
{
    const unsigned char *row =
        data + p->c->at + t * p->c->step + p->first * p->c->size;

    if (t + BLOCK > p->rows)
        return;
    for (size_t i = 0; i < BLOCK; i++, row += p->c->step)
        for (size_t j = 0; j < p->count * p->c->size; j += LINE)
            __builtin_prefetch(row + j);
}

static bool take(const struct panel *p)
{
    const struct move_columns *c = p->c;
    struct move_transpose t = {.size = c->size,
                               .rows = BLOCK,
                               .columns = p->count,
                               .from_step = c->step,
                               .to_step = p->pitch};

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!move_pace_step(p->pace, BLOCK * p->count * c->size))
            return false;
        prefetch(p, p->from, i + BLOCK);
        p->code->transpose(p->from + c->at + i * c->step + p->first * c->size,
                           p->scratch + i * c->size, &t);
    }
    return true;
}

static void reverse(const struct panel *p)
{
    size_t size = p->c->size;
    struct move_rows rows = {.a_step = (ptrdiff_t)size,
                             .b_step = -(ptrdiff_t)size,
                             .size = size,
                             .planes = 1};

    for (size_t i = 0; i < p->count; i++) {
        size_t len = (size_t)p->c->lens[p->first + i];

        if (len < 2)
            continue;
        rows.a = i * p->pitch;
        rows.b = rows.a + (len - 1) * size;
        rows.count = len / 2;
        p->code->swap(p->scratch, &rows);
    }
}

static bool put(const struct panel *p)
{
    const struct move_columns *c = p->c;
    unsigned char stage[BLOCK * WIDEST];
    size_t width = p->count * c->size;
    struct move_transpose t = {.size = c->size,
                               .rows = p->count,
                               .columns = BLOCK,
                               .from_step = p->pitch,
                               .to_step = p->stream ? width : c->step};

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        unsigned char *to = p->to + c->at + i * c->step + p->first * c->size;

        if (!move_pace_step(p->pace, BLOCK * width))
            return false;
        if (!p->stream) {
            prefetch(p, p->to, i + BLOCK);
            p->code->transpose(p->scratch + i * c->size, to, &t);
            continue;
        }
        p->code->transpose(p->scratch + i * c->size, stage, &t);
        for (size_t row = 0; row < BLOCK; row++)
            move_stream(to + row * c->step, stage + row * width, width);
    }
    return true;
}

/* What lies beyond every length. */
static bool copy_rest(const struct panel *p)
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

/* Columns of a panel: as many as fit, in whole lines, or in part of one. */
static size_t columns_of(const struct panel *p)
{
    size_t size = p->c->size;
    size_t narrow = LINE / size, wide = WIDE / size;
    size_t count = FAR / p->pitch;

    if (count > wide) {
        count = NEAR / p->pitch;
        count = count > wide ? count : wide;
    }
    if (count > WIDEST / size)
        count = WIDEST / size;
    if (count >= narrow)
        count -= count % narrow;
    return count < p->c->count ? count : p->c->count;
}

/* Whether the next panel leaves too few columns for another. */
static size_t next_count(size_t count, size_t left, size_t least)
{
    if (left <= count)
        return left;
    return left - count < least ? left - least : count;
}

static bool run(struct panel *p, size_t count)
{
    size_t least = NARROWEST / p->c->size;

    for (p->first = 0; p->first < p->c->count; p->first += p->count) {
        p->count = next_count(count, p->c->count - p->first, least);
        if (!take(p))
            return false;
        reverse(p);
        if (!put(p) || (p->from != p->to && !copy_rest(p)))
            return false;
    }
    return true;
}

bool move_panel(const struct move_columns *c, const struct move_code *code,
                const unsigned char *from, unsigned char *to, bool stream,
                struct move_pace *pace, bool *moved)
{
    struct panel p = {.c = c,
                      .code = code,
                      .from = from,
                      .to = to,
                      .stream = stream,
                      .pace = pace,
                      .rows = rows_of(c)};
    size_t count;
    bool done;

    /* An odd number of lines, so that columns do not share cache sets. */
    p.pitch = (p.rows * c->size + LINE) / LINE * LINE | LINE;
    count = columns_of(&p);
    *moved = false;
    if (count * c->size < NARROWEST)
        return true;
    p.scratch = malloc(count * p.pitch);
    if (!p.scratch)
        return true;
    *moved = true;
    done = run(&p, count);
    free(p.scratch);
    return done;
}
