/* Spans of packed elements in each instruction set, against one bit at a time:
 * every length at every offset in a byte, in both orders inside a byte. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/bits/bits_span.h"
#include "tests/kernels/naive.h"
#include "tests/kernels/simd/tables.h"
#include "tests/suite.h"

enum { PACKED = 6, ROOM = 24 << 10 };

static unsigned char noise[ROOM], data[ROOM], wanted[ROOM], from[ROOM];
static uint64_t state = 41;

struct spans {
    const struct element_format *format;
    struct bit_mover mover;
    size_t a, b, count; /* elements */
};

static void check(const struct spans *s, const char *mover)
{
    if (memcmp(data, wanted, ROOM) != 0)
        ck_abort_msg("%s %s: %zu x %u bit%s, %zu and %zu%s",
                     s->mover.kernels->name, mover, s->count, s->format->bits,
                     s->format->high_first ? " high first" : "", s->a, s->b,
                     s->mover.reverse ? ", reversed" : "");
}

static void move_naive(const struct spans *s, const unsigned char *in, size_t a,
                       size_t b)
{
    for (size_t i = 0; i < s->count; i++)
        naive_copy_element(s->format, in,
                           b + (s->mover.reverse ? s->count - 1 - i : i),
                           wanted, a + i);
}

static struct bit_spans bits_of(const struct spans *s)
{
    size_t bits = s->format->bits;

    return (struct bit_spans){s->a * bits, s->b * bits, s->count * bits};
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
    bits_span_copy(&s->mover, exact, data, bits_of(s));
    check(s, "copy");
    free(exact);
}

static void check_swap(const struct spans *s)
{
    memcpy(data, noise, ROOM);
    memcpy(wanted, noise, ROOM);
    move_naive(s, noise, s->a, s->b);
    move_naive(s, noise, s->b, s->a);
    bits_span_swap(&s->mover, data, bits_of(s));
    check(s, "swap");
}

/* Two spans with `gap` elements between them, in both orders, forward and
 * reversed. */
static void check_spans(int isa, const struct element_format *f, size_t at,
                        size_t gap, size_t count)
{
    struct spans s = {
        .format = f,
        .mover = {tables_get(isa), *f, false},
        .a = at,
        .b = at + count + gap,
        .count = count,
    };

    for (int form = 0; form < 4; form++) {
        size_t a = s.a;

        s.mover.reverse = form & 1;
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

START_TEST(spans_of_every_length_are_moved)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    size_t per = 8 / f->bits;

    fill();
    for (size_t count = 0; count <= 300; count++)
        for (size_t at = 0; at < per; at++)
            check_spans(_i / PACKED, f, at, naive_below(&state, 2 * per),
                        count);
}
END_TEST

START_TEST(spans_at_every_offset_are_moved)
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
END_TEST

START_TEST(long_spans_at_every_offset_are_moved)
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
END_TEST

/* Around the length from which on a span is cut. */
START_TEST(spans_longer_than_a_chunk_are_moved)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    size_t per = 8 / f->bits;

    fill();
    for (size_t i = 0; i < 2 * per; i++)
        check_spans(_i / PACKED, f, i / 2, i, 4096 * per - per + i);
    check_spans(_i / PACKED, f, 1, 1, 8192 * per + 1);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("bits");
    TCase *tc = tcase_create("bits");

    int cases = tables_count() * PACKED;

    tcase_add_loop_test(tc, spans_of_every_length_are_moved, 0, cases);
    tcase_add_loop_test(tc, spans_at_every_offset_are_moved, 0, cases);
    tcase_add_loop_test(tc, long_spans_at_every_offset_are_moved, 0, cases);
    tcase_add_loop_test(tc, spans_longer_than_a_chunk_are_moved, 0, cases);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
