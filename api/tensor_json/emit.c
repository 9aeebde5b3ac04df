#include "api/tensor_json/emit.h"

#include <string.h>

#include "api/lex/scan.h"
#include "api/lex/simd.h"
#include "kernels/core/cancel.h"
#include "kernels/core/size.h"

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
    most -= JSON_SIMD_SPARE;
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

/* Whether each row is one token, without white space and brackets. */
static bool has_one_token_rows(const struct emit_job *job)
{
    return job->array->count == job->array_rows &&
           dtype_info(job->array->dtype)->kind != DTYPE_KIND_COMPLEX;
}

/* Rows that follow each other in the array too, with only a comma between them,
 * are one piece. Adds those after row `i` to *len; returns the next row. */
static uint64_t join_rows(const struct emit_job *job, uint64_t i, size_t *len)
{
    size_t start = job->rows[i].start;

    *len = job->rows[i].len;
    for (i++; i < job->count && job->rows[i].start == start + *len + 1; i++)
        *len += 1 + job->rows[i].len;
    return i;
}

size_t emit_rows(const struct emit_job *job, char *out, size_t capacity)
{
    const struct data_array *a = job->array;
    struct output o = {a->text + a->len, out, out + capacity,
                       a->dtype == DTYPE_BYTES};
    struct cancel_check check = {.flag = job->cancel};
    bool one_token = has_one_token_rows(job);

    for (uint64_t i = 0; i < job->count;) {
        const char *from = a->text + job->rows[i].start;
        size_t len;

        if (one_token && job->rows[i].len <= SHORT) {
            const char *before = o.at;
            uint64_t done = copy_short(&o, a->text, job->rows + i,
                                       size_min(job->count - i, AT_ONCE));

            i += done;
            if (!cancel_step(&check, (size_t)(o.at - before)))
                break;
            if (done > 0)
                continue;
        }
        i = join_rows(job, i, &len);
        if (!cancel_step(&check, len))
            break;
        if (!one_token && i < job->count)
            prefetch(a->text + job->rows[i].start, job->rows[i].len);
        if (one_token)
            copy(&o, from, len);
        else
            flatten(&o, from, from + len);
        *o.at++ = ',';
    }
    /* The last comma is dropped; the array had a bracket in its place. */
    return o.at > out ? (size_t)(o.at - out) - 1 : 0;
}
