/* Rows of text are indexed, permuted and written in batches.
 *
 * Along an outer axis that the permutation keeps, entries are permuted
 * independently. A batch is as many entries as stay in the processor's caches
 * from the scan of their text to the copy of it, and the index has capacity for
 * one batch only. Where allowed, the copy overwrites the text of earlier
 * batches: that memory has been touched already, and no other needs to be. */
#include <string.h>

#include "api/tensor_json/emit.h"
#include "api/tensor_json/parser.h"
#include "kernels/core/size.h"
#include "kernels/move/move.h"

_Static_assert(sizeof(struct span) == 8, "move_swap() moves 64-bit elements");

enum { BATCH_BYTES = 32 << 10 }; /* of text, about */

struct batches {
    const struct tensor_json_job *job; /* borrowed */
    uint64_t entry_rows;               /* rows of an entry of axis 0 */
    uint64_t rows_done;
    char *first;       /* of the result */
    char *at;          /* its next byte */
    char *end;         /* its limit */
    bool uses_scratch; /* a batch is written to job->scratch, then copied */
};

/* Rows that are permuted by themselves: those of an entry of axis 0, or all. */
static uint64_t rows_of_entry(const struct permutation *permutation)
{
    const struct permutation_axis *axis = permutation->axes;

    if (permutation->rank > 0 && axis->map == PERMUTATION_KEEP &&
        axis->stride == permutation->row_count / axis->extent)
        return axis->stride;
    return permutation->row_count;
}

static uint64_t rows_of_batch(const struct data_array *a,
                              const struct permutation *permutation)
{
    uint64_t each = rows_of_entry(permutation);
    uint64_t entries = each > 0 ? permutation->row_count / each : 0;
    uint64_t bytes = entries > 0 ? a->len / entries : 0;
    uint64_t wanted = BATCH_BYTES / (bytes + 1) + 1;

    return wanted < entries ? wanted * each : permutation->row_count;
}

uint64_t tensor_json_move_capacity(const struct data_array *a,
                                   const struct permutation *permutation)
{
    uint64_t batch = rows_of_batch(a, permutation);

    /* Vector code stores several rows at once, also past the end of a batch. */
    return permutation->row_count - batch > ROW_INDEX_SPARE
               ? batch + ROW_INDEX_SPARE
               : permutation->row_count;
}

/* The permutation of the next `count` rows, each of which is now one span. */
static struct permutation part(const struct batches *b, uint64_t count)
{
    struct permutation permutation = *b->job->permutation;

    permutation.row = 1;
    if (count == permutation.row_count)
        return permutation;
    permutation.axes[0].extent = count / b->entry_rows;
    permutation.row_count = count;
    if (permutation.batch_axis == 0 && permutation.lens)
        permutation.lens += b->rows_done / b->entry_rows;
    return permutation;
}

/* Permutes and writes the first `count` rows of the index. */
static void flush(struct batches *b, struct span *rows, uint64_t count)
{
    const struct tensor_json_job *job = b->job;
    struct permutation permutation = part(b, count);
    struct emit_job emit = {.array = job->array,
                            .array_rows = job->permutation->row_count,
                            .rows = rows,
                            .count = count,
                            .cancel = job->cancel};
    char *out;
    size_t len;

    move_swap(&permutation, (struct element_format){.bits = 64}, rows,
              job->move_scratch, job->cancel);
    if (b->at > b->first)
        *b->at++ = ',';
    out = b->uses_scratch ? job->scratch : b->at;
    len = emit_rows(&emit, out, (size_t)(b->end - b->at));
    if (b->uses_scratch)
        memcpy(b->at, out, len);
    b->at += len;
    b->rows_done += count;
}

/* Flushes index->full rows, which the result may overwrite in the text, and
 * shifts the rest to rows[0]. */
static void flush_full(struct row_index *index)
{
    struct batches *b = index->owner;

    flush(b, index->rows, index->full);
    index->count -= index->full;
    index->capacity = size_min(index->capacity,
                               b->job->permutation->row_count - b->rows_done);
    memmove(index->rows, index->rows + index->full,
            (size_t)index->count * sizeof(*index->rows));
}

/* Decides where batches end and where their text goes. */
static void start(struct batches *b, struct parser *p)
{
    const struct tensor_json_job *job = b->job;
    const struct data_array *a = job->array;
    const struct permutation *permutation = job->permutation;
    struct row_index *index = &p->stream.index;

    parser_set_rows(p, job->rows, permutation->row > 0 ? permutation->row : 1,
                    tensor_json_move_capacity(a, permutation));
    index->owner = b;
    index->on_full = flush_full;
    if (index->capacity < permutation->row_count)
        index->full = rows_of_batch(a, permutation);
    b->uses_scratch = job->in_place && index->full > 0;
    b->first = b->at = b->uses_scratch ? job->in_place : job->scratch;
    b->end = b->first + a->len;
}

bool tensor_json_move(const struct tensor_json_job *job, char **out,
                      size_t *len, struct status *st)
{
    struct batches b = {.job = job,
                        .entry_rows = rows_of_entry(job->permutation)};
    struct row_index *index;
    struct parser p;

    if (!parser_start(&p, job->array, job->cancel, st))
        return false;
    start(&b, &p);
    if (!parser_index(&p))
        return false;
    index = &p.stream.index;
    if (index->count > 0)
        flush(&b, index->rows, index->count);
    *out = b.first;
    *len = (size_t)(b.at - b.first);
    return true;
}
