#include "kernels/move/columns/panel_transfer.h"

enum { LINE = PANEL_BLOCK_BYTES, BLOCK = PANEL_TILE_ROWS };

/* Blocks of the panel kernels are adjacent, the last one may be partial. The
 * last block of the transpose kernel ends where the rows end: its result is the
 * same for rows that it repeats. */
static size_t next_block(const struct panel_transfer *p, size_t at)
{
    if (p->blocked)
        return at + LINE / p->args->size;
    if (at + BLOCK >= p->rows)
        return p->rows;
    return at + BLOCK <= p->rows - BLOCK ? at + BLOCK : p->rows - BLOCK;
}

/* Prefetches the rows of the next block, for they lie a stride apart, which no
 * hardware prefetcher predicts. The panel kernels prefetch by themselves. */
static void prefetch(const struct panel_transfer *p, const unsigned char *data,
                     size_t t)
{
    const struct columns_args *args = p->args;
    const unsigned char *row = data + t * args->step + p->first * args->size;

    if (p->blocked || t + BLOCK > p->rows)
        return;
    for (size_t i = 0; i < BLOCK; i++, row += args->step)
        for (size_t j = 0; j < p->count * args->size; j += LINE)
            __builtin_prefetch(row + j);
}

static struct panel_block block_at(const struct panel_transfer *p, size_t row)
{
    return (struct panel_block){.size = p->args->size,
                                .columns = p->count,
                                .rows = p->rows,
                                .row = row,
                                .step = p->args->step,
                                .lens = p->args->lens + p->first,
                                .nontemporal = p->nontemporal};
}

/* Block 0: at the start of a cache line, with a block before it. */
static unsigned char *blocks(const struct panel_transfer *p)
{
    return p->scratch + -(uintptr_t)p->scratch % LINE + p->count * LINE;
}

static void reverse_columns(const struct panel_transfer *p)
{
    size_t size = p->args->size;
    struct strided_rows rows = {.a_step = (ptrdiff_t)size,
                                .b_step = -(ptrdiff_t)size,
                                .size = size,
                                .batch = 1};

    for (size_t i = 0; i < p->count; i++) {
        size_t len = (size_t)p->args->lens[p->first + i];

        if (len < 2)
            continue;
        rows.a = i * p->pitch;
        rows.b = rows.a + (len - 1) * size;
        rows.count = len / 2;
        p->args->kernels->rows.swap(p->scratch, &rows);
    }
}

static void load_block(const struct panel_transfer *p,
                       const unsigned char *from, size_t row)
{
    const struct columns_args *args = p->args;
    struct panel_block block = block_at(p, row);
    struct transpose t = {.size = args->size,
                          .rows = BLOCK,
                          .columns = p->count,
                          .from_step = args->step,
                          .to_step = p->pitch};

    if (p->blocked)
        args->kernels->panel->load(from, blocks(p), &block);
    else
        args->kernels->columns.transpose(from + row * args->step,
                                         p->scratch + row * args->size, &t);
}

static void store_block(const struct panel_transfer *p, unsigned char *to,
                        size_t row)
{
    const struct columns_args *args = p->args;
    struct panel_block block = block_at(p, row);
    struct transpose t = {.size = args->size,
                          .rows = p->count,
                          .columns = BLOCK,
                          .from_step = p->pitch,
                          .to_step = args->step};

    if (p->blocked)
        args->kernels->panel->store(blocks(p), to, &block);
    else
        args->kernels->columns.transpose(p->scratch + row * args->size,
                                         to + row * args->step, &t);
}

bool panel_transfer_load(const struct panel_transfer *p)
{
    const struct columns_args *args = p->args;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!cancel_step(args->cancel, LINE * p->count))
            return false;
        prefetch(p, args->from, i + BLOCK);
        load_block(p, args->from + p->first * args->size, i);
    }
    if (!p->blocked)
        reverse_columns(p);
    return true;
}

bool panel_transfer_store(const struct panel_transfer *p)
{
    const struct columns_args *args = p->args;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!cancel_step(args->cancel, LINE * p->count))
            return false;
        prefetch(p, args->to, i + BLOCK);
        store_block(p, args->to + p->first * args->size, i);
    }
    return true;
}
