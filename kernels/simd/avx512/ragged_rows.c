#include <immintrin.h>

#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/reverse_index.h"

#define WIDTH 64
#include "kernels/simd/columns.h"

enum { LINE = 64, AHEAD_BYTES = 8192 };

/* The result, which goes past the caches in whole lines: what of the next one
 * is there already. */
struct lines {
    __m512i line;
    unsigned char *to; /* where the line belongs, LINE bytes aligned */
    size_t end;        /* bytes of it that are there */
    __mmask64 own;     /* which are to be written: not what was before them */
};

INLINE struct lines start(unsigned char *to)
{
    size_t before = (uintptr_t)to % LINE;

    return (struct lines){.line = _mm512_setzero_si512(),
                          .to = to - before,
                          .end = before,
                          .own = ~move_mirror_mask(before)};
}

INLINE void write_line(struct lines *l)
{
    if (l->own != ~(__mmask64)0)
        _mm512_mask_storeu_epi8(l->to, l->own, l->line);
    else
        _mm512_stream_si512((void *)l->to, l->line);
    l->own = ~(__mmask64)0;
    l->to += LINE;
}

/* The order that moves the bytes of a vector up, round its end. */
INLINE __m512i moved_up(size_t bytes)
{
    return _mm512_add_epi8(move_mirror_places(),
                           _mm512_set1_epi8((char)-(int)bytes));
}

/* Adds an entry of a line or more; asks for another, line by line. No byte
 * beside the entry is read, masked or not: that would wait for a line that
 * nobody asked for. */
INLINE void add(struct lines *l, const unsigned char *entry, size_t size,
                const unsigned char *other)
{
    const unsigned char *at = entry - l->end;
    __m512i last = _mm512_loadu_si512(entry + size - LINE);

    l->line = _mm512_mask_permutexvar_epi8(l->line, ~move_mirror_mask(l->end),
                                           moved_up(l->end),
                                           _mm512_loadu_si512(entry));
    if (other)
        __builtin_prefetch(other + size - 1);
    for (l->end += size; l->end >= LINE; l->end -= LINE) {
        write_line(l);
        at += LINE;
        if (other)
            __builtin_prefetch(other);
        other += other ? LINE : 0;
        if (l->end >= LINE + LINE)
            l->line = _mm512_loadu_si512(at);
    }
    l->line = _mm512_permutexvar_epi8(moved_up(l->end), last);
}

INLINE void finish(struct lines *l)
{
    if (l->end > 0)
        _mm512_mask_storeu_epi8(l->to, l->own & move_mirror_mask(l->end),
                                l->line);
}

/* The same for whole lines, when there is nothing of the next one yet. */
INLINE void add_lines(struct lines *l, const unsigned char *entry, size_t size,
                      const unsigned char *other)
{
    for (size_t i = 0; i < size; i += LINE, l->to += LINE) {
        if (other)
            __builtin_prefetch(other + i);
        _mm512_stream_si512((void *)l->to, _mm512_loadu_si512(entry + i));
    }
}

/* How many entries before its turn one is asked for: far enough for memory to
 * answer, so near that the first level cache still has it then. */
INLINE size_t ahead_of(const struct move_tile *t)
{
    size_t ahead = AHEAD_BYTES / t->size;

    if (ahead > TILE_COLUMNS / 2)
        return TILE_COLUMNS / 2;
    return ahead < 2 ? 2 : ahead;
}

/* The entries of a part; `known` places, which go on into the next one. */
INLINE void add_part(struct lines *l, const unsigned char *from,
                     const struct move_tile *t, const size_t *places,
                     size_t count, size_t known, bool whole)
{
    size_t ahead = ahead_of(t);

    for (size_t i = 0; i < count; i++) {
        const unsigned char *other =
            i + ahead < known ? from + places[i + ahead] : NULL;

        if (whole)
            add_lines(l, from + places[i], t->size, other);
        else
            add(l, from + places[i], t->size, other);
    }
}

static void copy_far(const unsigned char *from, unsigned char *to,
                     const struct move_tile *tile)
{
    const struct move_tile t = *tile;
    bool joined = t.to_step == t.count * t.size;
    struct part part = {.row = t.row}, next;
    struct lines l = start(to);
    size_t places[2 * TILE_COLUMNS];
    bool whole = (((uintptr_t)to | t.size | t.to_step) % LINE) == 0;

    part = next_part(&t, &part);
    find_places(&t, part.row, part.first, part.count, places);
    for (; part.count > 0; part = next) {
        next = next_part(&t, &part);
        find_places(&t, next.row, next.first, next.count, places + part.count);
        if (whole)
            add_part(&l, from, &t, places, part.count, part.count + next.count,
                     true);
        else
            add_part(&l, from, &t, places, part.count, part.count + next.count,
                     false);
        if (!joined && next.row > part.row) {
            finish(&l);
            to += t.to_step;
            l = start(to);
        }
        memmove(places, places + part.count, next.count * sizeof(*places));
    }
    finish(&l);
}

void move_avx512_copy_columns(const unsigned char *from, unsigned char *to,
                              const struct move_tile *t)
{
    if (t->far && t->size >= LINE)
        copy_far(from, to, t);
    else if (t->size < 8)
        move_code_plain.copy_columns(from, to, t);
    else
        copy_columns(from, to, t);
}
