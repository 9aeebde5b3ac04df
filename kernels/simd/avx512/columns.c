#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/columns_hooks.h"
#include "kernels/simd/avx512/vector.h"
#include "kernels/simd/plain_columns.h"

#define WIDTH 64
#include "kernels/simd/columns_template.h"

enum { LINE = 64, PREFETCH_BYTES = 8192 };

/* The cache line of the result that is being assembled. */
struct wc_line {
    __m512i line;
    unsigned char *to; /* target of the line, LINE bytes aligned */
    size_t end;        /* bytes of the line that are assembled */
    __mmask64 write;   /* bytes to be written: not those before the result */
};

INLINE struct wc_line wc_line_start(unsigned char *to)
{
    size_t before = (uintptr_t)to % LINE;

    return (struct wc_line){.line = _mm512_setzero_si512(),
                            .to = to - before,
                            .end = before,
                            .write = ~vector_mask(before)};
}

INLINE void wc_line_write(struct wc_line *l)
{
    if (l->write != ~(__mmask64)0)
        _mm512_mask_storeu_epi8(l->to, l->write, l->line);
    else
        _mm512_stream_si512((void *)l->to, l->line);
    l->write = ~(__mmask64)0;
    l->to += LINE;
}

/* Index that rotates a vector up by `bytes` bytes. */
INLINE __m512i rotate_up(size_t bytes)
{
    return _mm512_add_epi8(vector_count(), _mm512_set1_epi8((char)-(int)bytes));
}

/* Adds an entry of a line or more and prefetches `other` (may be NULL), line by
 * line. No byte beside the entry is read, not even masked: such a load would
 * wait for a line that nobody has prefetched. */
INLINE void wc_line_add(struct wc_line *l, const unsigned char *entry,
                        size_t size, const unsigned char *other)
{
    const unsigned char *at = entry - l->end;
    __m512i last = vector_load(entry + size - LINE);

    l->line = _mm512_mask_permutexvar_epi8(
        l->line, ~vector_mask(l->end), rotate_up(l->end), vector_load(entry));
    if (other)
        __builtin_prefetch(other + size - 1);
    for (l->end += size; l->end >= LINE; l->end -= LINE) {
        wc_line_write(l);
        at += LINE;
        if (other) {
            __builtin_prefetch(other);
            other += LINE;
        }
        if (l->end >= LINE + LINE)
            l->line = vector_load(at);
    }
    l->line = _mm512_permutexvar_epi8(rotate_up(l->end), last);
}

INLINE void wc_line_finish(struct wc_line *l)
{
    if (l->end > 0)
        _mm512_mask_storeu_epi8(l->to, l->write & vector_mask(l->end), l->line);
}

/* As wc_line_add(), for whole lines while no line is begun. */
INLINE void wc_line_add_whole(struct wc_line *l, const unsigned char *entry,
                              size_t size, const unsigned char *other)
{
    for (size_t i = 0; i < size; i += LINE, l->to += LINE) {
        if (other)
            __builtin_prefetch(other + i);
        _mm512_stream_si512((void *)l->to, vector_load(entry + i));
    }
}

/* Distance of the prefetch, in entries: so long that memory can answer, so
 * short that the first level cache still has the entry when it is copied. */
INLINE size_t prefetch_distance(const struct ragged_columns *c)
{
    size_t distance = PREFETCH_BYTES / c->size;

    if (distance > SEGMENT_COLUMNS / 2)
        return SEGMENT_COLUMNS / 2;
    return distance < 2 ? 2 : distance;
}

/* Source entries of a segment, and of the segment after it. */
struct entries {
    const unsigned char *from;
    size_t offsets[2 * SEGMENT_COLUMNS];
    size_t count, offset_count; /* of the segment; of both */
};

INLINE void add_entries(struct wc_line *l, const struct entries *e,
                        const struct ragged_columns *c, bool whole)
{
    size_t distance = prefetch_distance(c);

    for (size_t i = 0; i < e->count; i++) {
        const unsigned char *other = i + distance < e->offset_count
                                         ? e->from + e->offsets[i + distance]
                                         : NULL;

        if (whole)
            wc_line_add_whole(l, e->from + e->offsets[i], c->size, other);
        else
            wc_line_add(l, e->from + e->offsets[i], c->size, other);
    }
}

/* Copies columns whose source exceeds the second level cache: entries are
 * prefetched, and whole cache lines of the result are written past the caches.
 */
static void copy_far(const unsigned char *from, unsigned char *to,
                     const struct ragged_columns *columns)
{
    const struct ragged_columns c = *columns;
    bool joined = c.to_step == c.count * c.size;
    bool whole = (((uintptr_t)to | c.size | c.to_step) % LINE) == 0;
    struct column_segment s = first_segment(&c), next;
    struct wc_line l = wc_line_start(to);
    struct entries e;

    e.from = from;
    find_offsets(&c, &s, e.offsets);
    for (; s.count > 0; s = next) {
        next = next_segment(&c, &s);
        find_offsets(&c, &next, e.offsets + s.count);
        e.count = s.count;
        e.offset_count = s.count + next.count;
        if (whole)
            add_entries(&l, &e, &c, true);
        else
            add_entries(&l, &e, &c, false);
        if (!joined && next.row > s.row) {
            wc_line_finish(&l);
            to += c.to_step;
            l = wc_line_start(to);
        }
        memmove(e.offsets, e.offsets + s.count,
                next.count * sizeof(*e.offsets));
    }
    wc_line_finish(&l);
}

void avx512_columns_swap(unsigned char *data, const struct ragged_columns *c)
{
    if (c->size < 8)
        plain_swap_columns(data, c);
    else
        swap_columns(data, c);
}

void avx512_columns_copy(const unsigned char *from, unsigned char *to,
                         const struct ragged_columns *c)
{
    if (c->nontemporal && c->size >= WIDTH)
        copy_far(from, to, c);
    else if (c->size < 8)
        plain_copy_columns(from, to, c);
    else
        copy_columns(from, to, c);
}
