/* Rows of text are indexed, permuted and written in batches.
 *
 * Along an outer axis that the permutation keeps, entries are permuted
 * independently. A batch is as many entries as stay in the processor's caches
 * from the scan of their text to the copy of it, and the index has capacity for
 * one batch only. Where allowed, the copy overwrites the text of earlier
 * batches: that memory has been touched already, and no other needs to be. */
#include <string.h>

#include "api/lex/scan.h"
#include "api/lex/simd.h"
#include "api/tensor_json/parser.h"
#include "kernels/core/cancel.h"
#include "kernels/core/require.h"
#include "kernels/core/size.h"
#include "kernels/move/move.h"

struct output {
    const char *text_end;
    char *at; /* the next byte */
    char *end;
    bool has_strings;
};

/* Copies most tokens as a fixed 16 bytes: faster than a call of memcpy(). */
static void copy(struct output *o, const char *from, size_t len)
{
    enum { SMALL = 16 };

    if (len <= SMALL && o->text_end - from >= SMALL && o->end - o->at >= SMALL)
        memcpy(o->at, from, SMALL);
    else
        memcpy(o->at, from, len);
    o->at += len;
}

enum { AT_ONCE = 1 << 15 }; /* rows between two checks of `cancel` */
/* Bytes copied for each short row; most rows need only the first SHORTER. */
enum { SHORT = 32, SHORTER = 16 };
enum { AHEAD = 128 }; /* rows between a prefetch and the copy */

/* Copies rows of one token each, and a comma after each, as long as they are
 * short and SHORT bytes may be read and written. Returns how many. */
static uint64_t copy_short(struct output *o, const char *text,
                           const struct span *rows, uint64_t count)
{
    size_t len = (size_t)(o->text_end - text);
    size_t last = len > SHORT ? len - SHORT : 0;
    char *out = o->at;
    uint64_t i;

    count = size_min(count, (size_t)(o->end - o->at) / (SHORT + 1));
    for (i = 0; i < count; i++) {
        const char *from = text + rows[i].start;
        const char *next = text + rows[i + AHEAD < count ? i + AHEAD : i].start;

        /* One row in four is in two cache lines. */
        __builtin_prefetch(next);
        __builtin_prefetch(next + SHORTER - 1);
        if (rows[i].len > SHORT || rows[i].start >= last)
            break;
        memcpy(out, from, SHORTER);
        if (__builtin_expect(rows[i].len > SHORTER, 0))
            memcpy(out + SHORTER, from + SHORTER, SHORTER);
        out += rows[i].len;
        *out++ = ',';
    }
    o->at = out;
    return i;
}

/* Flattens the part of the text for which blocks may be read and written past
 * the end. Returns the end of that part. */
static const char *flatten_blocks(struct output *o, const char *from,
                                  const char *end)
{
    ptrdiff_t most = o->end - o->at;

    if (most > o->text_end - from)
        most = o->text_end - from;
    most -= JSON_SIMD_TAILROOM;
    if (most <= 0)
        return from;
    if (end - from > most)
        end = from + most;
    o->at = json_simd_active()->flatten(from, end, o->at);
    return end;
}

/* Copies text without the white space and brackets between its elements.
 * Strings are copied unchanged. */
static void flatten(struct output *o, const char *from, const char *end)
{
    if (!o->has_strings)
        from = flatten_blocks(o, from, end);
    while (from < end) {
        if (end - from >= SCAN_BLOCK && o->end - o->at >= SCAN_BLOCK) {
            uint64_t block = scan_load(from);
            uint64_t mask = scan_brackets(block) | scan_below(block, '"' + 1);
            size_t len = mask ? scan_first(mask) : SCAN_BLOCK;

            memcpy(o->at, from, SCAN_BLOCK);
            o->at += len;
            from += len;
            if (!mask)
                continue;
        }
        if (*from == '"') {
            const char *next = scan_string_end(from + 1, end);

            copy(o, from, (size_t)(next - from));
            from = next;
        } else {
            if (!scan_is_space(*from) && *from != '[' && *from != ']')
                *o->at++ = *from;
            from++;
        }
    }
}

/* Reversed rows are read downwards, which the hardware prefetcher does not
 * expect. */
static void prefetch(const char *from, size_t len)
{
    const size_t most = 2048, line = 64;

    for (size_t at = 0; at < len && at < most; at += line)
        __builtin_prefetch(from + at);
}

/* Rows that follow each other in the array too, with only a comma between them,
 * are one piece. Adds those after row `i` to *len; returns the next row. */
static uint64_t join_rows(const struct span *rows, uint64_t count, uint64_t i,
                          size_t *len)
{
    size_t start = rows[i].start;

    *len = rows[i].len;
    for (i++; i < count && rows[i].start == start + *len + 1; i++)
        *len += 1 + rows[i].len;
    return i;
}

size_t tensor_json_emit(const struct tensor_json_job *job,
                        const struct span *rows, uint64_t count, char *out,
                        size_t capacity)
{
    const struct data_array *a = job->array;
    struct output o = {a->text + a->len, out, out + capacity,
                       a->dtype == DTYPE_BYTES};
    struct cancel_check check = {.flag = job->cancel};
    /* Each row is one token, without white space and brackets. */
    bool one_token = a->count == job->permutation->row_count &&
                     dtype_info(a->dtype)->kind != DTYPE_KIND_COMPLEX;

    for (uint64_t i = 0; i < count;) {
        const char *from = a->text + rows[i].start;
        size_t len;

        if (one_token && rows[i].len <= SHORT) {
            const char *before = o.at;
            uint64_t done =
                copy_short(&o, a->text, rows + i, size_min(count - i, AT_ONCE));

            i += done;
            if (!cancel_step(&check, (size_t)(o.at - before)))
                break;
            if (done > 0)
                continue;
        }
        i = join_rows(rows, count, i, &len);
        if (!cancel_step(&check, len))
            break;
        if (!one_token && i < count)
            prefetch(a->text + rows[i].start, rows[i].len);
        if (one_token)
            copy(&o, from, len);
        else
            flatten(&o, from, from + len);
        *o.at++ = ',';
    }
    /* The last comma is dropped; the array had a bracket in its place. */
    return o.at > out ? (size_t)(o.at - out) - 1 : 0;
}

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
    return permutation->row_count - batch > ROW_INDEX_TAILROOM
               ? batch + ROW_INDEX_TAILROOM
               : permutation->row_count;
}

/* Makes the permutation of the array that of its next `count` rows. */
static void take_part(const struct batches *b, uint64_t count,
                      struct permutation *permutation)
{
    if (count == permutation->row_count)
        return;
    permutation->axes[0].extent = count / b->entry_rows;
    permutation->row_count = count;
    if (permutation->batch_axis == 0 && permutation->lens)
        permutation->lens += b->rows_done / b->entry_rows;
}

/* Permutes and writes the first `count` rows of the index. */
static void flush(struct batches *b, struct span *rows, uint64_t count)
{
    const struct tensor_json_job *job = b->job;
    struct permutation permutation;
    char *out;
    size_t len;

    permutation_of_spans(job->permutation, &permutation);
    take_part(b, count, &permutation);
    move_swap(&permutation, (struct element_format){.bits = 64}, rows,
              job->move_scratch, job->cancel);
    if (b->at > b->first)
        *b->at++ = ',';
    out = b->uses_scratch ? job->scratch : b->at;
    len = tensor_json_emit(job, rows, count, out, (size_t)(b->end - b->at));
    REQUIRE_WITH(len <= (size_t)(b->end - b->at), "%zu of %zu bytes", len,
                 (size_t)(b->end - b->at));
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

    REQUIRE(index->count >= index->full);
    flush(b, index->rows, index->full);
    index->count -= index->full;
    index->capacity = size_min(index->capacity,
                               b->job->permutation->row_count - b->rows_done);
    memmove(index->rows, index->rows + index->full,
            (size_t)index->count * sizeof(*index->rows));
}

bool tensor_json_move(const struct tensor_json_job *job, char **out,
                      size_t *len, struct status *st)
{
    const struct data_array *a = job->array;
    const struct permutation *permutation = job->permutation;
    struct batches b = {.job = job, .entry_rows = rows_of_entry(permutation)};
    struct row_index index = {
        .rows = job->rows,
        .capacity = tensor_json_move_capacity(a, permutation),
        .on_full = flush_full,
        .owner = &b,
    };

    if (index.capacity < permutation->row_count)
        index.full = rows_of_batch(a, permutation);
    b.uses_scratch = job->in_place && index.full > 0;
    b.first = b.at = b.uses_scratch ? job->in_place : job->scratch;
    b.end = b.first + a->len;
    if (!parser_index(a, permutation->row > 0 ? permutation->row : 1, &index,
                      job->cancel, st))
        return false;
    if (index.count > 0)
        flush(&b, index.rows, index.count);
    *out = b.first;
    *len = (size_t)(b.at - b.first);
    return true;
}
