#include "kernels/move/panel_blocks.h"

enum { LINE = MOVE_BLOCK_BYTES, BLOCK = MOVE_PANEL_BLOCK };

/* Blocks of lines follow one another. The last other block ends where the rows
 * do: what it repeats comes out the same. */
static size_t next_block(const struct move_panel *p, size_t at)
{
    if (p->lines)
        return at + LINE / p->c->size;
    if (at + BLOCK >= p->rows)
        return p->rows;
    return at + BLOCK <= p->rows - BLOCK ? at + BLOCK : p->rows - BLOCK;
}

/* Asks for the rows of the next block: a stride apart, no processor guesses
 * them. */
static void prefetch(const struct move_panel *p, const unsigned char *data,
                     size_t t)
{
    const unsigned char *row =
        data + p->c->at + t * p->c->step + p->first * p->c->size;

    if (p->lines || t + BLOCK > p->rows)
        return;
    for (size_t i = 0; i < BLOCK; i++, row += p->c->step)
        for (size_t j = 0; j < p->count * p->c->size; j += LINE)
            __builtin_prefetch(row + j);
}

static struct move_block block_at(const struct move_panel *p, size_t row)
{
    return (struct move_block){.size = p->c->size,
                               .columns = p->count,
                               .rows = p->rows,
                               .row = row,
                               .step = p->c->step,
                               .lens = p->c->lens + p->first,
                               .stream = p->stream};
}

/* Where lines begin, with a block before. */
static unsigned char *lines(const struct move_panel *p)
{
    return p->scratch + -(uintptr_t)p->scratch % LINE + p->count * LINE;
}

static void reverse(const struct move_panel *p)
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

static void take_block(const struct move_panel *p, const unsigned char *from,
                       size_t row)
{
    const struct move_columns *c = p->c;
    struct move_block block = block_at(p, row);
    struct move_transpose t = {.size = c->size,
                               .rows = BLOCK,
                               .columns = p->count,
                               .from_step = c->step,
                               .to_step = p->pitch};

    if (p->lines)
        p->code->take(from, lines(p), &block);
    else
        p->code->transpose(from + row * c->step, p->scratch + row * c->size,
                           &t);
}

static void put_block(const struct move_panel *p, size_t at, size_t row)
{
    const struct move_columns *c = p->c;
    struct move_block block = block_at(p, row);
    struct move_transpose t = {.size = c->size,
                               .rows = p->count,
                               .columns = BLOCK,
                               .from_step = p->pitch,
                               .to_step = c->step};

    if (p->lines)
        p->code->put(lines(p), p->to + at, &block);
    else
        p->code->transpose(p->scratch + row * c->size,
                           p->to + at + row * c->step, &t);
}

bool move_panel_take(const struct move_panel *p)
{
    const struct move_columns *c = p->c;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!cancel_step(p->pace, LINE * p->count))
            return false;
        prefetch(p, p->from, i + BLOCK);
        take_block(p, p->from + c->at + p->first * c->size, i);
    }
    if (!p->lines)
        reverse(p);
    return true;
}

bool move_panel_put(const struct move_panel *p)
{
    const struct move_columns *c = p->c;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!cancel_step(p->pace, LINE * p->count))
            return false;
        prefetch(p, p->to, i + BLOCK);
        put_block(p, c->at + p->first * c->size, i);
    }
    return true;
}
