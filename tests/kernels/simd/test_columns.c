/* The column kernels of each instruction set. */
#include "kernels/simd/kernel_table.h"
#include "tests/kernels/naive.h"
#include "tests/kernels/simd/tables.h"
#include "tests/unit.h"

enum { ROOM = 64 << 10 };

static uint64_t state = 17;

static _Alignas(64) unsigned char from[ROOM], to[ROOM], wanted[ROOM];

static void check_transpose(const struct kernel_table *kernels,
                            const struct transpose *t, size_t at)
{
    memcpy(wanted, to, ROOM);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++)
            memcpy(wanted + at + c * t->to_step + r * t->size,
                   from + at + r * t->from_step + c * t->size, t->size);
    kernels->transpose(from + at, to + at, t);
    nontemporal_fence();
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu x %zu of %zu bytes at %zu", tables_name(kernels),
                     t->rows, t->columns, t->size, at);
}

/* From one tile to several, which overlap or not; rows side by side and apart;
 * targets that nontemporal stores suit, and others. */
static void check_random_transpose(const struct kernel_table *kernels,
                                   size_t size, size_t i)
{
    size_t side = kernels->transpose_side / size;
    struct transpose t = {.size = size,
                          .rows = side + naive_below(&state, 40),
                          .columns = side + naive_below(&state, 40),
                          .nontemporal = i % 2 == 0,
                          .next = from + i % 64,
                          .next_rows = i % 5 * side,
                          .next_step = 1 + i % 300,
                          .next_bytes = 1 + i % 130};

    if (i % 3 == 0)
        t.rows -= t.rows % side;
    t.from_step = t.columns * size + i % 5;
    t.to_step = t.rows * size + i % 3;
    if (i % 4 < 2)
        t.to_step = (t.to_step + 63) / 64 * 64;
    if (t.columns * t.to_step + 64 <= ROOM && t.rows * t.from_step + 64 <= ROOM)
        check_transpose(kernels, &t, i % 8 < 3 ? 0 : i % 64);
}

LOOP_TEST(kernels_transpose_at_every_alignment, tables_count())
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 1; size <= 16; size *= 2)
        for (size_t i = 0; i < 1500; i++)
            check_random_transpose(tables_get(_i), size, i);
}

/* Writes the expected result of a swap at `at`. */
static void expect_rows(const struct ragged_columns *t, size_t at)
{
    for (size_t i = 0; i < t->rows * t->count; i++) {
        size_t row = t->row + i / t->count, column = i % t->count;
        size_t len = (size_t)t->lens[column], entry = at + column * t->size;

        for (size_t j = 0; row < len / 2 && j < 2; j++)
            memcpy(wanted + entry + (j ? len - 1 - row : row) * t->step,
                   to + entry + (j ? row : len - 1 - row) * t->step, t->size);
    }
}

static void check_rows(const struct kernel_table *kernels,
                       const struct ragged_columns *t, size_t at)
{
    memcpy(wanted, to, ROOM);
    expect_rows(t, at);
    kernels->swap_columns(to + at, t);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: swap of %zu columns of %zu bytes at %zu",
                     tables_name(kernels), t->count, t->size, at);
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
        t.step = count * size + at % 4;
        check_rows(kernels, &t, at);
    }
}

LOOP_TEST(kernels_move_columns_of_every_size, tables_count())
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 1; size <= 300; size++)
        check_sizes(tables_get(_i), size, 1 + size % 4);
    for (size_t size = 1; size <= 70; size++)
        check_sizes(tables_get(_i), size, 63 + size % 3);
    check_sizes(tables_get(_i), 5, 200);
    check_sizes(tables_get(_i), 16, 129);
    check_sizes(tables_get(_i), 2047, 2);
    check_sizes(tables_get(_i), 2048, 2);
}
