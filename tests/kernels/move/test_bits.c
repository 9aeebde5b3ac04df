/* Spans of packed elements in each instruction set, against one bit at a time:
 * every length at every offset in a byte, in both orders inside a byte. */
#include "kernels/move/bits.h"
#include "tests/kernels/naive.h"
#include "tests/kernels/simd/tables.h"
#include "tests/unit.h"

enum { PACKED = 6, ROOM = 24 << 10 };

static unsigned char noise[ROOM], data[ROOM], wanted[ROOM], from[ROOM];
static uint64_t state = 41;

struct spans {
    const struct kernel_table *kernels;
    const struct element_format *format;
    size_t a, b, count; /* elements */
    bool reverse;
};

static void check(const struct spans *s, const char *mover)
{
    if (memcmp(data, wanted, ROOM) != 0)
        ck_abort_msg("%s %s: %zu x %u bit%s, %zu and %zu%s",
                     tables_name(s->kernels), mover, s->count, s->format->bits,
                     s->format->high_first ? " high first" : "", s->a, s->b,
                     s->reverse ? ", reversed" : "");
}

static void move_naive(const struct spans *s, const unsigned char *in, size_t a,
                       size_t b)
{
    for (size_t i = 0; i < s->count; i++)
        naive_copy_element(s->format, in,
                           b + (s->reverse ? s->count - 1 - i : i), wanted,
                           a + i);
}

/* As one row, or as rows of one element. */
static void move(const struct spans *s, const unsigned char *source)
{
    const struct bits_memory memory = {s->kernels, *s->format, source, data};
    struct strided_rows rows = {
        .a = s->a, .b = s->b, .count = 1, .size = s->count, .batch = 1};

    if (s->reverse) {
        rows.b += s->count - 1;
        rows.a_step = 1;
        rows.b_step = -1;
        rows.count = s->count;
        rows.size = 1;
    }
    bits_move_rows(&memory, &rows);
}

/* The source has no bytes after it, so that a sanitizer sees each read past
 * it. */
static void check_copy(const struct spans *s)
{
    size_t bytes = naive_bytes(s->format, s->b + s->count);
    unsigned char *exact = malloc(bytes + 1);

    memcpy(exact, from, bytes);
    memcpy(data, noise, ROOM);
    memcpy(wanted, noise, ROOM);
    move_naive(s, exact, s->a, s->b);
    move(s, exact);
    check(s, "copy");
    free(exact);
}

static void check_swap(const struct spans *s)
{
    memcpy(data, noise, ROOM);
    memcpy(wanted, noise, ROOM);
    move_naive(s, noise, s->a, s->b);
    move_naive(s, noise, s->b, s->a);
    move(s, data);
    check(s, "swap");
}

/* Two spans with `gap` elements between them, in both orders, forward and
 * reversed. */
static void check_spans(int isa, const struct element_format *f, size_t at,
                        size_t gap, size_t count)
{
    struct spans s = {
        .kernels = tables_get(isa),
        .format = f,
        .a = at,
        .b = at + count + gap,
        .count = count,
    };

    for (int form = 0; form < 4; form++) {
        size_t a = s.a;

        s.reverse = form & 1;
        s.a = s.b;
        s.b = a;
        check_swap(&s);
        check_copy(&s);
    }
}

static void fill(void)
{
    naive_fill(&state, noise, ROOM);
    naive_fill(&state, from, ROOM);
}

LOOP_TEST(spans_of_every_length_are_moved, tables_count() * PACKED)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    size_t per = 8 / f->bits;

    fill();
    for (size_t count = 0; count <= 300; count++)
        for (size_t at = 0; at < per; at++)
            check_spans(_i / PACKED, f, at, naive_below(&state, 2 * per),
                        count);
}

LOOP_TEST(spans_at_every_offset_are_moved, tables_count() * PACKED)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    size_t per = 8 / f->bits;

    fill();
    for (size_t at = 0; at < per; at++)
        for (size_t gap = 0; gap < per; gap++)
            for (size_t bytes = 60; bytes <= 260; bytes += 40)
                check_spans(_i / PACKED, f, at, gap,
                            bytes * per + naive_below(&state, 2 * per));
}

LOOP_TEST(long_spans_at_every_offset_are_moved, tables_count() * PACKED)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    size_t per = 8 / f->bits;

    fill();
    for (size_t at = 0; at < per; at++)
        for (size_t gap = 0; gap < per; gap++)
            for (size_t i = 0; i < 4; i++)
                check_spans(_i / PACKED, f, at, gap,
                            (2048 + 64 * i) * per - per / 2 +
                                naive_below(&state, 2 * per));
}

/* Around the length from which on a span is cut. */
LOOP_TEST(spans_longer_than_a_chunk_are_moved, tables_count() * PACKED)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    size_t per = 8 / f->bits;

    fill();
    for (size_t i = 0; i < 2 * per; i++)
        check_spans(_i / PACKED, f, i / 2, i, 4096 * per - per + i);
    check_spans(_i / PACKED, f, 1, 1, 8192 * per + 1);
}

/* Halves around the length up to which they are reversed as one. Where such a
 * span begins inside a byte, a sanitizer sees the first byte behind the chunk.
 */
LOOP_TEST(halves_around_a_chunk_are_swapped, tables_count() * PACKED)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    size_t per = 8 / f->bits;

    fill();
    for (size_t whole = 4096 * per; whole <= 4097 * per; whole += per)
        for (size_t at = 0; at < per; at++) {
            check_swap(&(struct spans){.kernels = tables_get(_i / PACKED),
                                       .format = f,
                                       .a = at,
                                       .b = at + whole - whole / 2,
                                       .count = whole / 2,
                                       .reverse = true});
        }
}
