/* The column and panel kernels of each instruction set. */
#include <check.h>
#include <string.h>

#include "kernels/move/dispatch.h"
#include "kernels/simd/kernel_table.h"
#include "kernels/simd/nontemporal.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { ROOM = 64 << 10 };

static uint64_t state = 17;

static const struct kernel_table *kernels_at(int index)
{
    return index ? dispatch_kernels() : &kernel_table_generic;
}

static _Alignas(64) unsigned char from[ROOM], to[ROOM], wanted[ROOM];

static void check_transpose(const struct kernel_table *kernels,
                            const struct transpose *t, size_t at)
{
    memcpy(wanted, to, ROOM);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++)
            memcpy(wanted + at + c * t->to_step + r * t->size,
                   from + at + r * t->from_step + c * t->size, t->size);
    kernels->columns.transpose(from + at, to + at, t);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu x %zu of %zu bytes at %zu", kernels->name,
                     t->rows, t->columns, t->size, at);
}

START_TEST(kernels_transpose_at_every_alignment)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 1; size <= 8; size *= 2) {
        for (size_t i = 0; i < 30 * 30; i++) {
            struct transpose t = {
                .size = size,
                .rows = 16 / size + i % 30,
                .columns = 16 / size + i / 30,
            };

            t.from_step = t.columns * size + i % 5;
            t.to_step = t.rows * size + i % 3;
            check_transpose(kernels_at(_i), &t, i % 64);
        }
    }
}
END_TEST

/* Column i of `wanted`, by the formula. */
static void reverse_column(const struct panel_block *b, size_t i,
                           const unsigned char *source, size_t at)
{
    size_t len = (size_t)b->lens[i];

    for (size_t t = 0; t < b->rows; t++) {
        size_t row = t < len ? len - 1 - t : t;

        memcpy(wanted + at + t * b->step + i * b->size,
               source + at + row * b->step + i * b->size, b->size);
    }
}

/* In place (`same`) or as a copy. The scratch memory keeps its former
 * content. */
static void check_blocks(const struct kernel_table *kernels,
                         struct panel_block b, size_t at, bool same)
{
    static unsigned char memory[8 * ROOM];
    size_t rows = PANEL_BLOCK_BYTES / b.size;
    unsigned char *scratch = memory + b.columns * PANEL_BLOCK_BYTES;
    const unsigned char *source = same ? to : from;
    int64_t lens[PANEL_BLOCK_ROW_BYTES];

    ck_assert_uint_le((b.rows / rows + 3) * b.columns * PANEL_BLOCK_BYTES,
                      sizeof(memory));
    b.lens = lens;
    memcpy(wanted, to, ROOM);
    for (size_t i = 0; i < b.columns; i++) {
        lens[i] = (int64_t)naive_below(&state, b.rows + 1);
        if (naive_below(&state, 8) == 0)
            lens[i] = lens[i] % 2 ? 0 : (int64_t)b.rows;
        reverse_column(&b, i, source, at);
    }
    for (b.row = 0; b.row < b.rows; b.row += rows)
        kernels->panel->load(source + at, scratch, &b);
    for (b.row = 0; b.row < b.rows; b.row += rows)
        kernels->panel->store(scratch, to + at, &b);
    nontemporal_fence();
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu x %zu of %zu bytes at %zu, same %d",
                     kernels->name, b.rows, b.columns, b.size, at, same);
}

/* Fewer rows than a block, and several blocks; one tile, and several that
 * overlap or not; rows of whole cache lines, which may be nontemporal, and
 * others. */
START_TEST(panels_are_stored_reversed)
{
    const struct kernel_table *kernels = dispatch_kernels();
    size_t narrow = PANEL_BLOCK_BYTES >> _i, most = PANEL_BLOCK_ROW_BYTES >> _i;

    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t i = 0; kernels->panel && i < 2500; i++) {
        struct panel_block b = {.size = (size_t)1 << _i,
                                .nontemporal = i % 2 == 0};

        b.columns = narrow + naive_below(&state, most - narrow + 1);
        if (i % 3 == 0)
            b.columns -= b.columns % narrow;
        b.step = b.columns * b.size + i % 5;
        if (i % 4 < 2)
            b.step = (b.step + 63) / 64 * 64;
        b.rows = (ROOM - 64) / b.step;
        b.rows = 1 + naive_below(&state, b.rows < 200 ? b.rows : 200);
        check_blocks(kernels, b, i % 8 < 3 ? 0 : i % 64, i % 7 < 3);
    }
}
END_TEST

/* Writes the expected result of a copy to `at`, or of a swap there. */
static void expect_rows(const struct ragged_columns *t, size_t at, bool swap)
{
    for (size_t i = 0; i < t->rows * t->count; i++) {
        size_t row = t->row + i / t->count, column = i % t->count;
        size_t len = (size_t)t->lens[column], entry = column * t->size;
        size_t index = row < len ? len - 1 - row : row;
        const unsigned char *source = swap ? to + at : from + at;

        source += index * t->from_step + entry;
        if (!swap)
            memcpy(wanted + at + i / t->count * t->to_step + entry, source,
                   t->size);
        else if (row < len / 2) {
            memcpy(wanted + at + row * t->from_step + entry, source, t->size);
            memcpy(wanted + at + index * t->from_step + entry,
                   to + at + row * t->from_step + entry, t->size);
        }
    }
}

static void check_rows(const struct kernel_table *kernels,
                       const struct ragged_columns *t, size_t at)
{
    memcpy(wanted, to, ROOM);
    expect_rows(t, at, true);
    kernels->columns.swap(to + at, t);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: swap of %zu columns of %zu bytes at %zu",
                     kernels->name, t->count, t->size, at);
    expect_rows(t, at, false);
    kernels->columns.copy(from + at, to + at, t);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: copy of %zu columns of %zu bytes at %zu",
                     kernels->name, t->count, t->size, at);
}

/* Some rows of a few columns, or of more than a segment; adjacent rows, and
 * others. */
static void check_sizes(const struct kernel_table *kernels, size_t size,
                        size_t count)
{
    int64_t lens[200];
    size_t most = (ROOM - 128) / (count * size + 3);
    size_t time = most < 5 ? most : 5;
    struct ragged_columns t = {.size = size, .count = count, .lens = lens};

    for (size_t at = 0; at < 64; at++) {
        for (size_t i = 0; i < count; i++)
            lens[i] = (int64_t)(naive_random(&state) % (time + 1));
        t.row = at % 3 == 2 && time > 1;
        t.rows = time - t.row;
        t.from_step = count * size + at % 4;
        t.to_step = count * size + at / 4 % 2 * 3;
        check_rows(kernels, &t, at);
    }
}

START_TEST(kernels_move_columns_of_every_size)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 1; size <= 300; size++)
        check_sizes(kernels_at(_i), size, 1 + size % 4);
    for (size_t size = 1; size <= 70; size++)
        check_sizes(kernels_at(_i), size, 63 + size % 3);
    check_sizes(kernels_at(_i), 5, 200);
    check_sizes(kernels_at(_i), 16, 129);
    check_sizes(kernels_at(_i), 2047, 2);
    check_sizes(kernels_at(_i), 2048, 2);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("columns");
    TCase *tc = tcase_create("columns");

    tcase_add_loop_test(tc, kernels_transpose_at_every_alignment, 0, 2);
    tcase_add_loop_test(tc, panels_are_stored_reversed, 0, 4);
    tcase_add_loop_test(tc, kernels_move_columns_of_every_size, 0, 2);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
