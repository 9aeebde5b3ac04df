#include "kernels/move/columns/panel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/move/columns/panel_blocks.h"
#include "kernels/simd/nontemporal.h"

enum {
    LINE = PANEL_BLOCK_BYTES,
    BLOCK = PANEL_BLOCKS_ROWS,
    MIN_WIDTH = 16, /* bytes of a panel's rows: of a tile */
    /* Wide enough to read memory at full bandwidth. */
    MAX_WIDTH = PANEL_BLOCK_ROW_BYTES,
    /* Results of this many bytes are written past the caches, in whole cache
     * lines. */
    COPY_NONTEMPORAL_BYTES = 4 << 20,
    SCRATCH_BYTES = 4 << 20, /* in the third level cache */
};

bool panel_fits(const struct columns_job *job)
{
    return job->size <= 8 && (job->size & (job->size - 1)) == 0 &&
           job->size * job->count >= MIN_WIDTH && job->time >= BLOCK;
}

/* Copies the rows past every length. */
static bool copy_rest(const struct panel_blocks *p)
{
    const struct columns_job *job = p->job;
    size_t width = p->count * job->size;

    for (size_t i = p->rows; i < job->time; i++) {
        size_t at = i * job->step + p->first * job->size;

        if (!cancel_step(job->cancel, width))
            return false;
        if (p->nontemporal)
            nontemporal_copy(job->kernels, job->to + at, job->from + at, width);
        else
            memcpy(job->to + at, job->from + at, width);
    }
    return true;
}

/* Columns of a panel: as many as the scratch memory holds, in whole cache lines
 * where they fill one. */
static size_t columns_of(const struct panel_blocks *p)
{
    size_t size = p->job->size;
    size_t narrow = LINE / size, wide = MAX_WIDTH / size;
    size_t count = SCRATCH_BYTES / (p->rows * size);

    if (count > wide)
        count = wide;
    if (count >= narrow)
        count -= count % narrow;
    return count < p->job->count ? count : p->job->count;
}

/* Minimum panel width: one tile, in columns. */
static size_t tile_of(const struct panel_blocks *p)
{
    return (p->blocked ? LINE : MIN_WIDTH) / p->job->size;
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
static size_t scratch_bytes(const struct panel_blocks *p, size_t count)
{
    size_t most = 2 * tile_of(p) - 1;

    return (count > most ? count : most) * p->pitch + LINE;
}

static bool move_panels(struct panel_blocks *p, size_t count)
{
    const struct columns_job *job = p->job;

    for (p->first = 0; p->first < job->count; p->first += p->count) {
        p->count = next_count(count, job->count - p->first, tile_of(p));
        if (!panel_blocks_load(p) || !panel_blocks_store(p) ||
            (!columns_job_in_place(job) && !copy_rest(p)))
            return false;
    }
    return true;
}

/* Chooses the layout of the scratch memory. Returns the columns of a panel. */
static size_t choose_layout(struct panel_blocks *p)
{
    const struct columns_job *job = p->job;
    size_t size = job->size, count;

    p->rows = columns_job_longest(job);
    if (p->rows == 0)
        p->rows = 1;
    p->pitch = ((p->rows * size + LINE - 1) / LINE + 2) * LINE;
    count = columns_of(p);
    p->blocked = job->kernels->panel && count * size >= LINE;
    if (p->blocked)
        return count;
    /* Whole blocks, which may be longer than the longest column. An odd number
     * of cache lines, so that columns do not share cache sets. */
    if (p->rows < BLOCK)
        p->rows = BLOCK;
    p->pitch = (p->rows * size + LINE) / LINE * LINE | LINE;
    return columns_of(p);
}

bool panel_move(const struct columns_job *job, bool *moved)
{
    struct panel_blocks p = {.job = job};
    size_t count = choose_layout(&p), large;
    bool done;

    *moved = false;
    if (count * job->size < MIN_WIDTH)
        return true;
    large =
        columns_job_in_place(job) ? NONTEMPORAL_BYTES : COPY_NONTEMPORAL_BYTES;
    p.nontemporal = p.blocked && columns_job_bytes(job) >= large;
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
