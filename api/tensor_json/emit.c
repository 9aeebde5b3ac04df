/* Rows of text out of their array, in their new order. */
#include <string.h>

#include "api/lex/scan.h"
#include "api/lex/simd.h"
#include "api/tensor_json/string.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/core/cancel.h"

struct emission {
    const char *text_end;
    char *out; /* the next byte */
    char *out_end;
    const struct json_simd *simd; /* may be NULL */
};

/* Most tokens are shorter than a call of memcpy() takes. */
static void copy(struct emission *e, const char *from, size_t len)
{
    enum { SMALL = 16 };

    if (len <= SMALL && e->text_end - from >= SMALL &&
        e->out_end - e->out >= SMALL)
        memcpy(e->out, from, SMALL);
    else
        memcpy(e->out, from, len);
    e->out += len;
}

enum { AT_ONCE = 4096 }; /* rows between two looks at `cancel` */
/* Bytes of a row that is copied blindly, and of most of them. */
enum { SHORT = 32, SHORTER = 16 };

/* Rows of one number each, as long as they are short and away from both ends,
 * with a comma behind each. Returns how many. */
static uint64_t copy_short(struct emission *e, const char *text,
                           const struct span *rows, uint64_t count)
{
    size_t len = (size_t)(e->text_end - text);
    size_t last = len > SHORT ? len - SHORT : 0;
    uint64_t room = (uint64_t)(e->out_end - e->out) / (SHORT + 1);
    char *out = e->out;
    uint64_t i;

    if (count > room)
        count = room;
    for (i = 0; i < count; i++) {
        const char *from = text + rows[i].start;

        if (rows[i].len > SHORT || rows[i].start >= last)
            break;
        memcpy(out, from, SHORTER);
        if (__builtin_expect(rows[i].len > SHORTER, 0))
            memcpy(out + SHORTER, from + SHORTER, SHORTER);
        out += rows[i].len;
        *out++ = ',';
    }
    e->out = out;
    return i;
}

/* Does what of the span is a block away from both ends. */
static const char *flatten_wide(struct emission *e, const char *from,
                                const char *end)
{
    ptrdiff_t room = e->out_end - e->out - JSON_SIMD_BLOCK;

    if (room > e->text_end - from - JSON_SIMD_BLOCK)
        room = e->text_end - from - JSON_SIMD_BLOCK;
    if (room <= 0)
        return from;
    if (end - from > room)
        end = from + room;
    e->out = e->simd->flatten(from, end, e->out);
    return end;
}

/* Copies a span without the white space and the brackets between its
 * elements. What is in strings stays. */
static void flatten(struct emission *e, const char *from, const char *end)
{
    const char *retry = from; /* where whole blocks are tried again */

    if (e->simd)
        retry = from = flatten_wide(e, from, end);
    while (from < end) {
        if (from >= retry) {
            const char *behind = scan_solid(from, end);

            copy(e, from, (size_t)(behind - from));
            from = behind;
            retry = end - from < 2 * (ptrdiff_t)JSON_SIMD_BLOCK
                        ? end
                        : from + JSON_SIMD_BLOCK;
            continue;
        }
        if (end - from >= SCAN_BLOCK && e->out_end - e->out >= SCAN_BLOCK) {
            uint64_t block = scan_load(from);
            uint64_t mask = scan_brackets(block) | scan_below(block, '"' + 1);
            size_t len = mask ? scan_first(mask) : SCAN_BLOCK;

            memcpy(e->out, from, SCAN_BLOCK);
            e->out += len;
            from += len;
            if (!mask)
                continue;
        }
        if (*from == '"') {
            const char *behind = scan_string_end(from + 1, end);

            copy(e, from, (size_t)(behind - from));
            from = behind;
        } else {
            if (!scan_is_space(*from) && *from != '[' && *from != ']')
                *e->out++ = *from;
            from++;
        }
    }
}

/* Rows that change places are read against the direction that processors
 * foresee. */
static void foresee(const char *from, size_t len)
{
    const size_t most = 2048, line = 64;

    for (size_t at = 0; at < len && at < most; at += line)
        __builtin_prefetch(from + at);
}

static bool is_one_token(const struct data_array *a, uint64_t row_count)
{
    return a->count == row_count &&
           dtype_info(a->dtype)->kind != DTYPE_KIND_COMPLEX;
}

size_t text_emit(const struct data_array *a, const struct span *rows,
                 uint64_t row_count, char *out, const atomic_bool *cancel)
{
    return text_emit_part(a, row_count, rows, row_count, out, a->len, cancel);
}

size_t text_emit_part(const struct data_array *a, uint64_t all_rows,
                      const struct span *rows, uint64_t row_count, char *out,
                      size_t room, const atomic_bool *cancel)
{
    struct emission e = {a->text + a->len, out, out + room, NULL};
    bool plain = is_one_token(a, all_rows);
    struct cancel_check pace = {.cancel = cancel};

    if (a->dtype != DTYPE_BYTES)
        e.simd = json_simd_active();
    for (uint64_t i = 0; i < row_count;) {
        const char *from = a->text + rows[i].start;
        size_t len = rows[i].len;

        if (plain && len <= SHORT) {
            uint64_t left = row_count - i;
            const char *before = e.out;
            uint64_t done = copy_short(&e, a->text, rows + i,
                                       left < AT_ONCE ? left : AT_ONCE);

            i += done;
            if (!cancel_step(&pace, (size_t)(e.out - before)))
                break;
            if (done > 0)
                continue;
        }
        /* Rows that are neighbours here and there, with only a comma between
         * them, are one. */
        for (i++; i < row_count && a->text + rows[i].start == from + len + 1;
             i++)
            len += 1 + rows[i].len;
        if (!cancel_step(&pace, len))
            break;
        if (!plain && i < row_count)
            foresee(a->text + rows[i].start, rows[i].len);
        if (plain)
            copy(&e, from, len);
        else
            flatten(&e, from, from + len);
        *e.out++ = ',';
    }
    /* Without the last comma, for which the array had a bracket. */
    return e.out > out ? (size_t)(e.out - out) - 1 : 0;
}

size_t tensor_json_strings_bound(const struct data_array *a)
{
    size_t count = a->count < a->len ? (size_t)a->count : a->len;

    /* An element's text has 3 bytes more than its content: two quotes and a
     * comma or a bracket. Its binary form has 4. */
    return a->len + count;
}

size_t tensor_json_strings_to_binary(const struct data_array *a,
                                     const struct span *rows,
                                     uint64_t row_count, void *out,
                                     const atomic_bool *cancel)
{
    struct cancel_check pace = {.cancel = cancel};
    unsigned char *at = out;

    for (uint64_t i = 0; i < row_count; i++) {
        const char *text = a->text + rows[i].start;
        const char *end = text + rows[i].len;

        if (!cancel_step(&pace, rows[i].len))
            break;
        while (text < end) {
            uint32_t len;

            if (*text != '"') {
                text++;
                continue;
            }
            len = (uint32_t)text_string_bytes(&text, end, at + sizeof(len));
            memcpy(at, &len, sizeof(len));
            at += sizeof(len) + len;
        }
    }
    return (size_t)(at - (unsigned char *)out);
}
