#include "kernels/move_panel_blocks.h"

enum { LINE = MOVE_PANEL_LINE, BLOCK = MOVE_PANEL_BLOCK };

/* The last block ends where the rows do: what it repeats comes out the same. */
static size_t next_block(const struct move_panel *p, size_t at)
{
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

    if (t + BLOCK > p->rows)
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
                               .pitch = p->pitch,
                               .lens = p->lens,
                               .moved = p->moved,
                               .stream = p->stream};
}

/* Whole lines are needed. */
void move_panel_begin(struct move_panel *p)
{
    size_t size = p->c->size;

    p->joint = p->code->take && p->count * size >= LINE;
    for (size_t i = 0; p->joint && i < p->count; i++) {
        size_t len = (size_t)p->c->lens[p->first + i];

        p->lens[i] = (int32_t)len;
        p->moved[i] = (uint32_t)(i * p->pitch + (p->rows - len) * size);
    }
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

    if (p->joint)
        p->code->take(from, p->scratch, &block);
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

    if (p->joint)
        p->code->put(p->scratch, p->from + at, p->to + at, &block);
    else
        p->code->transpose(p->scratch + row * c->size,
                           p->to + at + row * c->step, &t);
}

bool move_panel_take(const struct move_panel *p)
{
    const struct move_columns *c = p->c;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!move_pace_step(p->pace, BLOCK * p->count * c->size))
            return false;
        prefetch(p, p->from, i + BLOCK);
        take_block(p, p->from + c->at + p->first * c->size, i);
    }
    if (!p->joint)
        reverse(p);
    return true;
}

bool move_panel_put(const struct move_panel *p)
{
    const struct move_columns *c = p->c;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!move_pace_step(p->pace, BLOCK * p->count * c->size))
            return false;
        prefetch(p, p->stream ? p->from : p->to, i + BLOCK);
        put_block(p, c->at + p->first * c->size, i);
    }
    return true;
}
