/* Ragged rows of packed elements in each instruction set, against one bit at a
 * time: every length in sequences of every number of bytes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/bits/bits_ragged_rows.h"
#include "kernels/move/dispatch.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { PACKED = 6, COUNT = 7, GUARD = 128, ROOM = COUNT * 5000 + 2 * GUARD };

static unsigned char noise[ROOM], data[ROOM], wanted[ROOM];
static int64_t lens[COUNT];
static uint64_t state = 43;

static int count_tables(void)
{
    int tables = 0;

    while (dispatch_isa(tables))
        tables++;
    return tables;
}

/* Writes the expected result to `wanted`, for the elements in `noise` from byte
 * `at` on. */
static void expect(const struct element_format *f, const struct ragged_rows *s,
                   size_t at)
{
    memcpy(wanted, noise, ROOM);
    for (size_t i = 0; i < s->count; i++) {
        size_t first = at * 8 / f->bits + i * s->rows;
        size_t len = s->lens ? (size_t)s->lens[i] : s->rows;

        for (size_t k = 0; k < len; k++)
            naive_copy_element(f, noise, first + len - 1 - k, wanted,
                               first + k);
    }
}

static void check(const struct kernel_table *kernels,
                  const struct element_format *f, const struct ragged_rows *s,
                  const char *mover)
{
    if (memcmp(data, wanted, ROOM) != 0)
        ck_abort_msg("%s %s: %zu of %zu x %u bit%s, %s lengths", kernels->name,
                     mover, s->count, s->rows, f->bits,
                     f->high_first ? " high first" : "", s->lens ? "" : "no");
}

/* The source has no bytes around it, so that a sanitizer sees each read beside
 * it. */
static void check_copy(const struct kernel_table *kernels,
                       const struct element_format *f,
                       const struct ragged_rows *s, size_t at)
{
    const struct element_format format = {f->bits, f->high_first};
    size_t bytes = s->count * s->rows * f->bits / 8;
    unsigned char *exact = malloc(bytes);

    memcpy(exact, noise + at, bytes);
    memcpy(data, noise, ROOM);
    memset(data + at, 0, bytes);
    if (s->lens)
        bits_ragged_rows_copy(kernels, &format, exact, data + at, s);
    else
        kernels->ragged_bits->copy(exact, data + at, &format, s);
    check(kernels, f, s, "copy");
    free(exact);
}

static void check_swap(const struct kernel_table *kernels,
                       const struct element_format *f,
                       const struct ragged_rows *s, size_t at)
{
    const struct element_format format = {f->bits, f->high_first};

    memcpy(data, noise, ROOM);
    if (s->lens)
        bits_ragged_rows_swap(kernels, &format, data + at, s);
    else
        kernels->ragged_bits->swap(data + at, &format, s);
    check(kernels, f, s, "swap");
}

static void check_both(int isa, const struct element_format *f, size_t bytes,
                       size_t count, bool with_lens)
{
    const struct kernel_table *kernels = dispatch_isa(isa);
    const struct ragged_rows s = {.size = 1,
                                  .rows = bytes * 8 / f->bits,
                                  .count = count,
                                  .lens = with_lens ? lens : NULL};
    size_t at = GUARD - naive_below(&state, 64);

    expect(f, &s, at);
    check_swap(kernels, f, &s, at);
    check_copy(kernels, f, &s, at);
}

/* Each length in one of the sequences, random ones in the others. */
START_TEST(sequences_of_every_length_are_moved)
{
    static const size_t bytes_of[] = {1, 2, 3, 63, 64, 65, 127, 128, 129, 200};
    const struct element_format *f = &naive_formats[_i % PACKED];

    naive_fill(&state, noise, ROOM);
    for (size_t i = 0; i < sizeof(bytes_of) / sizeof(*bytes_of); i++) {
        size_t rows = bytes_of[i] * 8 / f->bits;

        for (size_t len = 0; len <= rows; len++) {
            for (size_t k = 0; k < COUNT; k++)
                lens[k] = (int64_t)naive_below(&state, rows + 1);
            lens[len % COUNT] = (int64_t)len;
            check_both(_i / PACKED, f, bytes_of[i], 1 + len % COUNT, true);
            check_both(_i / PACKED, f, bytes_of[i], COUNT, true);
        }
    }
}
END_TEST

/* Around the longest sequence that the kernels for ragged bits copy. */
START_TEST(long_sequences_are_moved)
{
    const struct element_format *f = &naive_formats[_i % PACKED];

    naive_fill(&state, noise, ROOM);
    for (size_t i = 0; i < 60; i++) {
        size_t bytes = 4096 - 30 + i;

        for (size_t k = 0; k < COUNT; k++)
            lens[k] = (int64_t)naive_below(&state, bytes * 8 / f->bits + 1);
        check_both(_i / PACKED, f, bytes, COUNT, true);
    }
}
END_TEST

START_TEST(whole_sequences_are_moved)
{
    const struct element_format *f = &naive_formats[_i % PACKED];
    const struct kernel_table *kernels = dispatch_isa(_i / PACKED);

    naive_fill(&state, noise, ROOM);
    for (size_t bytes = 1; kernels->ragged_bits && bytes < 400; bytes++)
        check_both(_i / PACKED, f, bytes, COUNT, false);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("bit_lens");
    TCase *tc = tcase_create("bit_lens");
    int cases = count_tables() * PACKED;

    tcase_add_loop_test(tc, sequences_of_every_length_are_moved, 0, cases);
    tcase_add_loop_test(tc, long_sequences_are_moved, 0, cases);
    tcase_add_loop_test(tc, whole_sequences_are_moved, 0, cases);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
