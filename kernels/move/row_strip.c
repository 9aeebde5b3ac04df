#include "kernels/move/row_strip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,
    /* Memory reads and writes rows of so many bytes at its pace; and a near
     * cache holds a slab of them. */
    WIDE = 512,
    MOST_BYTES = 4 << 20, /* of a slab */
    ROWS_AHEAD = 8,       /* that are asked for before they are taken */
    LONGEST = LINE,       /* bytes of an entry */
    SHORT = 16,           /* of which a line has many */
    LARGE = 48 << 20,     /* bytes, in place */
    /* Rows that are put together at a time, and written a turn later: what was
     * stored in parts just now cannot be read as a whole. */
    TURN = 4,
    STAGED = 2 * TURN,
    ROOM = LINE + WIDE + LINE + LONGEST, /* for one of them */
};

/* Bytes start .. end - 1 of each row, of columns first .. first + count - 1:
 * of the outer ones maybe a part. */
struct slab {
    size_t start, end;
    size_t first, count;
    size_t held; /* byte of a row that the scratch starts with */
    unsigned char *rows;
};

/* All of them. */
struct slabs {
    const struct move_columns_run *run;
    size_t rows;  /* that move */
    size_t width; /* bytes of a row */
    size_t wide;  /* of a slab */
    size_t pitch; /* from one row of a scratch to the next */
    /* Rows of the result, from two turns. */
    _Alignas(LINE) unsigned char stage[STAGED][ROOM];
};

bool move_slab_takes(const struct move_columns_run *r)
{
    const struct move_columns *c = r->c;

    if (c->time > MOST_BYTES / LINE / 2)
        return false;
    /* Measured: longer entries, and fewer in place, are best moved straight. */
    if (r->from != r->to)
        return c->size <= LONGEST;
    return c->size <= SHORT && c->time * c->step >= LARGE;
}

static void take(const struct slabs *s, const struct slab *slab, size_t row)
{
    memcpy(slab->rows + row * s->pitch,
           s->run->from + row * s->run->c->step + slab->held,
           slab->end - slab->held);
}

/* Puts rows of the result together. */
static void put(struct slabs *s, const struct slab *slab, size_t row,
                size_t rows)
{
    const struct move_columns *c = s->run->c;
    struct move_tile tile = move_columns_tile(c);
    size_t before = slab->held - slab->first * c->size;

    tile.row = row;
    tile.rows = rows;
    tile.count = slab->count;
    tile.lens = c->lens + slab->first;
    tile.from_step = s->pitch;
    tile.to_step = ROOM;
    s->run->code->copy_columns(slab->rows - before,
                               s->stage[row % STAGED] + LINE - before, &tile);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Where the line starts that has byte `at` of a row. */
static size_t line_at(const struct slabs *s, const unsigned char *row,
                      size_t at)
{
    return at == 0 || at == s->width ? at : at - (uintptr_t)(row + at) % LINE;
}

/* Writes the lines of a row that start within the slab; with each asks for one
 * from `ahead` on. */
static void write(const struct slabs *s, const struct slab *slab, size_t row,
                  const unsigned char *ahead)
{
    unsigned char *to = s->run->to + row * s->run->c->step;
    size_t start = line_at(s, to, slab->start);
    size_t bytes = line_at(s, to, slab->end) - start;
    size_t head = least(-(uintptr_t)(to + start) % LINE, bytes);
    size_t whole = (bytes - head) / LINE * LINE;
    const unsigned char *from =
        s->stage[row % STAGED] + LINE + (start - slab->held);

    to += start;
    memcpy(to, from, head);
    s->run->code->stream(to + head, from + head, whole, ahead);
    head += whole;
    memcpy(to + head, from + head, bytes - head);
}

/* What is taken some rows later, or something at hand. */
static const unsigned char *ahead_of(const struct slabs *s,
                                     const struct slab *slab, size_t row)
{
    row += ROWS_AHEAD;
    if (row >= s->rows || slab->count == 0)
        return s->stage[0];
    return s->run->from + row * s->run->c->step + slab->held;
}

/* Puts one slab together while the next is taken: memory reads and writes at
 * the same time. Either may have no columns. */
static bool move(struct slabs *s, const struct slab *now,
                 const struct slab *next)
{
    for (size_t row = 0; row < s->rows + TURN; row += TURN) {
        if (row < s->rows && now->count > 0)
            put(s, now, row, least(TURN, s->rows - row));
        for (size_t i = row; i < row + TURN; i++) {
            if (i >= TURN && i - TURN < s->rows && now->count > 0)
                write(s, now, i - TURN, ahead_of(s, next, i));
            if (i < s->rows && next->count > 0)
                take(s, next, i);
        }
        if (!cancel_step(s->run->pace, TURN * s->wide))
            return false;
    }
    return true;
}

/* Whether all rows start at the same place of a line. */
static bool alike(const struct slabs *s)
{
    return s->run->c->step % LINE == 0;
}

/* Of whole lines where rows are alike; elsewhere what may belong to a line that
 * starts before the slab is held too. */
static void next_slab(const struct slabs *s, struct slab *slab)
{
    const struct move_columns *c = s->run->c;
    size_t lead = alike(s) ? (uintptr_t)s->run->to % LINE : 0;
    size_t before = alike(s) ? 0 : LINE - 1;

    slab->start = slab->end;
    slab->end = least(slab->end + s->wide - (slab->end ? 0 : lead), s->width);
    slab->held = slab->start - least(before, slab->start);
    slab->first = slab->held / c->size;
    slab->count = (slab->end + c->size - 1) / c->size - slab->first;
    if (slab->start == slab->end)
        slab->count = 0;
}

static bool run(struct slabs *s, struct slab *now, struct slab *next)
{
    do {
        struct slab last = *now;

        *now = *next;
        next->rows = last.rows;
        next_slab(s, next);
        if (!move(s, now, next))
            return false;
    } while (next->count > 0);
    return true;
}

/* Slabs of about the same width. */
static size_t wide_of(const struct slabs *s)
{
    size_t most = least(WIDE, (MOST_BYTES / s->rows / LINE - 1) * LINE);
    size_t all = s->width + LINE, count = (all - 1) / most + 1;

    return ((all - 1) / count / LINE + 1) * LINE;
}

bool move_slab(const struct move_columns_run *r, bool *moved)
{
    const struct move_columns *c = r->c;
    struct slabs s = {.run = r, .width = c->count * c->size};
    struct slab now = {0}, next = {0};
    unsigned char *scratch;
    size_t bytes;
    bool done;

    s.rows = r->from == r->to ? move_columns_longest(c) : c->time;
    *moved = s.rows == 0;
    if (*moved)
        return true;
    s.wide = wide_of(&s);
    s.pitch = s.wide + (alike(&s) ? 0 : LINE);
    bytes = s.rows * s.pitch + LINE;
    scratch = malloc(2 * bytes + LONGEST);
    *moved = scratch != NULL;
    if (!scratch)
        return false;
    now.rows = scratch + LONGEST;
    next.rows = now.rows + bytes;
    done = run(&s, &now, &next);
    free(scratch);
    return done;
}
