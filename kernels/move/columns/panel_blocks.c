#include "kernels/move/columns/panel_blocks.h"

enum { LINE = PANEL_BLOCK_BYTES, BLOCK = PANEL_BLOCKS_ROWS };

/* Blocks of the panel kernels are adjacent, the last one may be partial. The
 * last block of the transpose kernel ends where the rows end: its result is the
 * same for rows that it repeats. */
static size_t next_block(const struct panel_blocks *p, size_t at)
{
    if (p->blocked)
        return at + LINE / p->job->size;
    if (at + BLOCK >= p->rows)
        return p->rows;
    return at + BLOCK <= p->rows - BLOCK ? at + BLOCK : p->rows - BLOCK;
}

/* Prefetches the rows of the next block, for they lie a stride apart, which no
 * hardware prefetcher predicts. The panel kernels prefetch by themselves. */
static void prefetch(const struct panel_blocks *p, const unsigned char *data,
                     size_t t)
{
    const struct columns_job *job = p->job;
    const unsigned char *row = data + t * job->step + p->first * job->size;

    if (p->blocked || t + BLOCK > p->rows)
        return;
    for (size_t i = 0; i < BLOCK; i++, row += job->step)
        for (size_t j = 0; j < p->count * job->size; j += LINE)
            __builtin_prefetch(row + j);
}

static struct panel_block block_at(const struct panel_blocks *p, size_t row)
{
    return (struct panel_block){.size = p->job->size,
                                .columns = p->count,
                                .rows = p->rows,
                                .row = row,
                                .step = p->job->step,
                                .lens = p->job->lens + p->first,
                                .nontemporal = p->nontemporal};
}

/* Block 0: at the start of a cache line, with a block before it. */
static unsigned char *blocks(const struct panel_blocks *p)
{
    return p->scratch + -(uintptr_t)p->scratch % LINE + p->count * LINE;
}

static void reverse_columns(const struct panel_blocks *p)
{
    size_t size = p->job->size;
    struct strided_rows rows = {.a_step = (ptrdiff_t)size,
                                .b_step = -(ptrdiff_t)size,
                                .size = size,
                                .batch = 1};

    for (size_t i = 0; i < p->count; i++) {
        size_t len = (size_t)p->job->lens[p->first + i];

        if (len < 2)
            continue;
        rows.a = i * p->pitch;
        rows.b = rows.a + (len - 1) * size;
        rows.count = len / 2;
        p->job->kernels->rows.swap(p->scratch, &rows);
    }
}

static void load_block(const struct panel_blocks *p, const unsigned char *from,
                       size_t row)
{
    const struct columns_job *job = p->job;
    struct panel_block block = block_at(p, row);
    struct transpose t = {.size = job->size,
                          .rows = BLOCK,
                          .columns = p->count,
                          .from_step = job->step,
                          .to_step = p->pitch};

    if (p->blocked)
        job->kernels->panel->load(from, blocks(p), &block);
    else
        job->kernels->columns.transpose(from + row * job->step,
                                        p->scratch + row * job->size, &t);
}

static void store_block(const struct panel_blocks *p, unsigned char *to,
                        size_t row)
{
    const struct columns_job *job = p->job;
    struct panel_block block = block_at(p, row);
    struct transpose t = {.size = job->size,
                          .rows = p->count,
                          .columns = BLOCK,
                          .from_step = p->pitch,
                          .to_step = job->step};

    if (p->blocked)
        job->kernels->panel->store(blocks(p), to, &block);
    else
        job->kernels->columns.transpose(p->scratch + row * job->size,
                                        to + row * job->step, &t);
}

bool panel_blocks_load(const struct panel_blocks *p)
{
    const struct columns_job *job = p->job;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!cancel_step(job->cancel, LINE * p->count))
            return false;
        prefetch(p, job->from, i + BLOCK);
        load_block(p, job->from + p->first * job->size, i);
    }
    if (!p->blocked)
        reverse_columns(p);
    return true;
}

bool panel_blocks_store(const struct panel_blocks *p)
{
    const struct columns_job *job = p->job;

    for (size_t i = 0; i < p->rows; i = next_block(p, i)) {
        if (!cancel_step(job->cancel, LINE * p->count))
            return false;
        prefetch(p, job->to, i + BLOCK);
        store_block(p, job->to + p->first * job->size, i);
    }
    return true;
}
