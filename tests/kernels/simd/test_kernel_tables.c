/* The loops in each instruction set against one byte at a time, at all 64
 * alignments, each side of every vector width; nothing beside the rows may
 * change. */
#include <check.h>
#include <string.h>

#include "kernels/move/dispatch.h"
#include "kernels/move/ragged_rows.h"
#include "kernels/simd/generic/table.h"
#include "kernels/simd/kernel_table.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { ROOM = 8192 };

static unsigned char noise[ROOM], data[ROOM], wanted[ROOM], from[ROOM];
static uint64_t state = 99;

static int count_levels(void)
{
    int levels = 0;

    while (dispatch_isa(levels))
        levels++;
    return levels;
}

/* Where byte `i` of row `row` of a plane lies on one side. */
static size_t place(const struct strided_rows *r, size_t first, ptrdiff_t step,
                    size_t plane, size_t row, size_t i)
{
    return (size_t)((ptrdiff_t)(first + plane * r->batch_step) +
                    (ptrdiff_t)row * step) +
           i;
}

static void expect(const struct strided_rows *r, bool swap)
{
    for (size_t plane = 0; plane < r->batch; plane++) {
        for (size_t row = 0; row < r->count; row++) {
            for (size_t i = 0; i < r->size; i++) {
                size_t a = place(r, r->a, r->a_step, plane, row, i);
                size_t b = place(r, r->b, r->b_step, plane, row, i);

                wanted[a] = swap ? data[b] : from[b];
                if (swap)
                    wanted[b] = data[a];
            }
        }
    }
}

static void check(const struct kernel_table *kernels, const char *mover,
                  const struct strided_rows *r)
{
    if (memcmp(data, wanted, ROOM) != 0)
        ck_abort_msg("%s %s: a %zu %+td, b %zu %+td, %zu x %zu, %zu planes",
                     kernels->name, mover, r->a, r->a_step, r->b, r->b_step,
                     r->count, r->size, r->batch);
}

static void check_swap(const struct kernel_table *kernels,
                       const struct strided_rows *r)
{
    memcpy(data, noise, ROOM);
    memcpy(wanted, noise, ROOM);
    expect(r, true);
    kernels->rows.swap(data, r);
    check(kernels, "swap", r);
}

static void check_copy(const struct kernel_table *kernels,
                       const struct strided_rows *r)
{
    memcpy(data, noise, ROOM);
    memcpy(wanted, noise, ROOM);
    expect(r, false);
    kernels->rows.copy(from, data, r);
    check(kernels, "copy", r);
}

static void fill(void)
{
    naive_fill(&state, noise, ROOM);
    naive_fill(&state, from, ROOM);
}

/* Rows that have a vector form, and neighbours of the widths. */
static size_t next_size(size_t size)
{
    return size < 9 || size % 16 == 15 || size % 16 == 0 ? size + 1 : size + 2;
}

/* Entries of one span change places from both ends. */
START_TEST(swap_reverses_stretches_of_every_length)
{
    fill();
    for (size_t size = 1; size <= 67; size = next_size(size)) {
        for (size_t entries = 2; entries * size <= 300; entries++) {
            for (size_t start = 0; start < 64; start++) {
                struct strided_rows r = {
                    .a = start,
                    .b = start + (entries - 1) * size,
                    .a_step = (ptrdiff_t)size,
                    .b_step = -(ptrdiff_t)size,
                    .count = entries / 2,
                    .size = size,
                    .batch = 1 + start % 2 * (entries % 5),
                    .batch_step = entries * size + start % 3,
                };

                check_swap(dispatch_isa(_i), &r);
            }
        }
    }
}
END_TEST

/* The two sides are apart, or in the wrong order. */
START_TEST(swap_reverses_between_places)
{
    fill();
    for (size_t size = 1; size <= 67; size = next_size(size)) {
        for (size_t count = 1; count * size <= 150; count++) {
            for (size_t start = 0; start < 64; start++) {
                struct strided_rows r = {
                    .a = start % 2 ? 500 + start : start,
                    .b = (start % 2 ? start / 2 : 300 + start / 2) +
                         (count - 1) * size,
                    .a_step = (ptrdiff_t)size,
                    .b_step = -(ptrdiff_t)size,
                    .count = count,
                    .size = size,
                    .batch = 1 + start % 3,
                    .batch_step = 1000,
                };

                check_swap(dispatch_isa(_i), &r);
            }
        }
    }
}
END_TEST

START_TEST(copy_reverses_stretches_of_every_length)
{
    fill();
    for (size_t size = 1; size <= 67; size = next_size(size)) {
        for (size_t count = 1; count * size <= 300; count++) {
            for (size_t start = 0; start < 64; start++) {
                struct strided_rows r = {
                    .a = start,
                    .b = start * 7 % 64 + (count - 1) * size,
                    .a_step = (ptrdiff_t)size,
                    .b_step = -(ptrdiff_t)size,
                    .count = count,
                    .size = size,
                    .batch = 1 + start % 2 * (count % 5),
                    .batch_step = count * size + start % 3,
                };

                check_copy(dispatch_isa(_i), &r);
            }
        }
    }
}
END_TEST

/* Rows of every size, mirrored and side by side, near and far. */
START_TEST(codes_move_rows_of_every_size)
{
    fill();
    for (size_t size = 1; size <= 420; size++) {
        for (size_t start = 0; start < 64; start++) {
            ptrdiff_t step = (ptrdiff_t)(size + start % 3);
            struct strided_rows r = {
                .a = start,
                .b = 2000 + start / 2 + (start % 2 ? (size_t)step : 0),
                .a_step = step,
                .b_step = start % 2 ? -step : step,
                .count = 1 + start % 2,
                .size = size,
                .batch = 1 + (start & 2) / 2,
                .batch_step = 2 * (size_t)step + start,
            };

            check_swap(dispatch_isa(_i), &r);
            check_copy(dispatch_isa(_i), &r);
        }
    }
}
END_TEST

/* Where copies leave rows to the C library. */
START_TEST(codes_move_long_rows)
{
    fill();
    for (size_t size = 1900; size < 2060; size++) {
        struct strided_rows r = {
            .b = ROOM - size, .count = 1, .size = size, .batch = 1};

        check_copy(dispatch_isa(_i), &r);
        check_swap(dispatch_isa(_i), &r);
    }
}
END_TEST

/* Sequence after sequence at `at` of what is wanted. */
static void expect_sequences(const struct ragged_rows *s, size_t at)
{
    for (size_t i = 0; i < s->count; i++) {
        for (size_t row = 0; row < s->rows; row++) {
            size_t len = (size_t)s->lens[i];
            size_t place = row < len ? len - 1 - row : row;

            memcpy(wanted + at + row * s->size, from + at + place * s->size,
                   s->size);
        }
        at += s->rows * s->size;
    }
}

static void check_sequences(const struct kernel_table *kernels,
                            const struct ragged_rows *s, size_t at)
{
    struct strided_rows all = {.a = at, .count = s->count};

    all.size = s->rows * s->size;
    memcpy(wanted, noise, ROOM);
    expect_sequences(s, at);
    memcpy(data, noise, ROOM);
    move_ragged_rows_copy(kernels, from + at, data + at, s);
    check(kernels, "copy of sequences", &all);
    memcpy(data, noise, ROOM);
    memcpy(data + at, from + at, all.count * all.size);
    move_ragged_rows_swap(kernels, data + at, s);
    check(kernels, "swap of sequences", &all);
}

/* Batches of 1 to 4 sequences, mostly of up to some 200 bytes, now and then
 * longer than those that have a way of their own. */
START_TEST(codes_reverse_sequences_of_every_size)
{
    int64_t lens[4];

    fill();
    for (size_t size = 1; size <= 2100; size += size < 280 ? 1 : 590) {
        size_t most = size > 200 ? 3 : 200 / size + 2;

        for (size_t rows = 1; rows <= most; rows++) {
            struct ragged_rows s = {
                .size = size,
                .rows = rows == most && size % 4 == 0 ? 4200 / size + 1 : rows,
                .count = 1,
                .lens = lens,
            };
            size_t fits = (ROOM - 128) / (s.rows * size);

            s.count = 1 + (size + rows) % (fits < 4 ? fits : 4);
            for (size_t i = 0; i < s.count; i++)
                lens[i] = (int64_t)(naive_random(&state) % (s.rows + 1));
            check_sequences(dispatch_isa(_i), &s, 64 + rows % 64);
        }
    }
}
END_TEST

/* From the best to plain C, no two the same. */
START_TEST(levels_end_with_plain_code)
{
    int levels = count_levels();

    ck_assert_ptr_eq(dispatch_kernels(), dispatch_isa(0));
    ck_assert_int_gt(levels, 0);
    ck_assert_ptr_eq(dispatch_isa(levels - 1), &kernel_table_generic);
    for (int i = 1; i < levels; i++)
        ck_assert_str_ne(dispatch_isa(i)->name, dispatch_isa(i - 1)->name);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("move_code");
    TCase *tc = tcase_create("move_code");

    int levels = count_levels();

    tcase_add_loop_test(tc, swap_reverses_stretches_of_every_length, 0, levels);
    tcase_add_loop_test(tc, swap_reverses_between_places, 0, levels);
    tcase_add_loop_test(tc, copy_reverses_stretches_of_every_length, 0, levels);
    tcase_add_loop_test(tc, codes_move_rows_of_every_size, 0, levels);
    tcase_add_loop_test(tc, codes_move_long_rows, 0, levels);
    tcase_add_loop_test(tc, codes_reverse_sequences_of_every_size, 0, levels);
    tcase_add_test(tc, levels_end_with_plain_code);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
