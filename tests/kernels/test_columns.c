/* Columns side by side, each reversed up to its own length: every shape at the
 * edges of tiles, blocks and panels, and what the loops for them are made of,
 * in each instruction set. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move_columns.h"
#include "kernels/move_rows.h"
#include "kernels/move_stream.h"
#include "tests/kernels/mover_case.h"

static const struct naive_format sizes[] = {
    {8, false}, {16, false}, {32, false}, {64, false}, {128, false}};

enum { SIZES = sizeof(sizes) / sizeof(*sizes), ROOM = 32 << 10 };

static uint64_t state = 17;

/* The linker puts this in malloc's place. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
static size_t most_memory = SIZE_MAX;

void *__wrap_malloc(size_t size)
{
    return size > most_memory ? NULL : __real_malloc(size);
}

/* [time, batch, row] with lengths up to `most`. */
static void check_columns(int64_t time, int64_t batch, int64_t row,
                          int64_t most, const struct naive_format *f)
{
    static struct naive n;

    n = (struct naive){
        .shape = {3, {time, batch, row}},
        .maps = {MOVEMENT_FLIP_LENS},
        .batch_axis = 1,
    };
    for (int64_t b = 0; b < batch; b++)
        n.lens[b] = (int64_t)naive_below(&state, (uint64_t)most + 1);
    mover_case_check(&state, &n, f);
}

START_TEST(columns_reverse_at_every_tile_edge)
{
    static const int64_t times[] = {2, 3, 15, 16, 17, 31, 32, 33, 48, 100};

    for (size_t t = 0; t < sizeof(times) / sizeof(*times); t++)
        for (int64_t batch = 2; batch <= 68; batch++)
            check_columns(times[t], batch, 1, times[t], &sizes[_i]);
}
END_TEST

/* More columns than a panel has, and lengths that leave rows untouched. */
START_TEST(columns_reverse_in_several_panels)
{
    static const int64_t batches[] = {511, 512, 513, 520, 528, 700, 1025, 1030};

    for (size_t b = 0; b < sizeof(batches) / sizeof(*batches); b++) {
        check_columns(37, batches[b], 1, 37, &sizes[_i]);
        check_columns(37, batches[b], 1, 18, &sizes[_i]);
        check_columns(18, batches[b] / 4, 1, 3, &sizes[_i]);
    }
}
END_TEST

/* So long that panels are narrow, and longer. */
START_TEST(columns_reverse_when_long)
{
    check_columns(20000, 70, 1, 20000, &sizes[0]);
    check_columns(70000, 17, 1, 70000, &sizes[2]);
    check_columns(300000, 16, 1, 300000, &sizes[0]);
}
END_TEST

/* The test's own memory is small enough. */
START_TEST(columns_reverse_without_scratch)
{
    most_memory = 40 * 40 * sizes[_i].bits / 8 + 200;
    check_columns(40, 40, 1, 40, &sizes[_i]);
    most_memory = SIZE_MAX;
}
END_TEST

/* Entries that are rows: of any size, on either side of what is handled
 * together. */
START_TEST(columns_reverse_rows_of_every_size)
{
    static const int64_t rows[] = {3,   5,   7,   15,  17,   31,    32,
                                   33,  63,  64,  65,  100,  127,   128,
                                   129, 200, 257, 300, 8192, 16384, 16385};

    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
        check_columns(9, 5, rows[r], 9, &sizes[0]);
        check_columns(4, rows[r] < 300 ? 131 : 3, rows[r], 4, &sizes[0]);
    }
}
END_TEST

/* Results so large that they are streamed. */
static const struct {
    int64_t time, batch, row;
    int size;
} large[] = {{1040, 4070, 1, 3},
             {515, 4070, 1, 4},
             {40, 500, 106, 4},
             {36, 60, 1000, 4}};

START_TEST(columns_reverse_when_streamed)
{
    check_columns(large[_i].time, large[_i].batch, large[_i].row,
                  large[_i].time * 3 / 4, &sizes[large[_i].size]);
}
END_TEST

static const struct move_code *code_at(int index)
{
    return index ? move_code_best() : &move_code_plain;
}

static unsigned char from[ROOM], to[ROOM], wanted[ROOM];

static void check_transpose(const struct move_code *code,
                            const struct move_transpose *t, size_t at)
{
    memcpy(wanted, to, ROOM);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++)
            memcpy(wanted + at + c * t->to_step + r * t->size,
                   from + at + r * t->from_step + c * t->size, t->size);
    code->transpose(from + at, to + at, t);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu x %zu of %zu bytes at %zu", code->name, t->rows,
                     t->columns, t->size, at);
}

START_TEST(codes_transpose_at_every_alignment)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 1; size <= 8; size *= 2) {
        for (size_t i = 0; i < 30 * 30; i++) {
            struct move_transpose t = {
                .size = size,
                .rows = 16 / size + i % 30,
                .columns = 16 / size + i / 30,
            };

            t.from_step = t.columns * size + i % 5;
            t.to_step = t.rows * size + i % 3;
            check_transpose(code_at(_i), &t, i % 64);
        }
    }
}
END_TEST

static void check_pairs(const struct move_code *code, size_t size, size_t at)
{
    size_t u = size + 9;
    const struct move_pair pairs[] = {
        {at, at + 2 * u}, {at + u, at + 5 * u}, {at + 4 * u, at + 3 * u}};

    memcpy(wanted, to, ROOM);
    for (size_t i = 0; i < 3; i++) {
        memcpy(wanted + pairs[i].a, to + pairs[i].b, size);
        memcpy(wanted + pairs[i].b, to + pairs[i].a, size);
    }
    code->swap_pairs(to, pairs, 3, size);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: swap of %zu bytes at %zu", code->name, size, at);
    for (size_t i = 0; i < 2; i++)
        memcpy(wanted + pairs[i].a, from + pairs[i].b, size);
    code->copy_pairs(from, to, pairs, 2, size);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: copy of %zu bytes at %zu", code->name, size, at);
}

START_TEST(codes_move_pairs_of_every_size)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 10; size <= 300; size++)
        for (size_t at = 0; at < 64; at++)
            check_pairs(code_at(_i), size, at);
    check_pairs(code_at(_i), 2047, 1);
    check_pairs(code_at(_i), 2048, 1);
}
END_TEST

START_TEST(stream_copies_at_every_alignment)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 0; size <= 300; size++) {
        for (size_t at = 0; at < 64; at++) {
            memcpy(wanted, to, ROOM);
            memcpy(wanted + at, from + size % 64, size);
            move_stream(to + at, from + size % 64, size);
            move_stream_end();
            if (memcmp(to, wanted, ROOM) != 0)
                ck_abort_msg("%zu bytes to %zu", size, at);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("columns");
    TCase *tc = tcase_create("columns");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, columns_reverse_at_every_tile_edge, 0, SIZES);
    tcase_add_loop_test(tc, columns_reverse_in_several_panels, 0, SIZES);
    tcase_add_test(tc, columns_reverse_when_long);
    tcase_add_loop_test(tc, columns_reverse_without_scratch, 0, 4);
    tcase_add_test(tc, columns_reverse_rows_of_every_size);
    tcase_add_loop_test(tc, columns_reverse_when_streamed, 0,
                        (int)(sizeof(large) / sizeof(*large)));
    tcase_add_loop_test(tc, codes_transpose_at_every_alignment, 0, 2);
    tcase_add_loop_test(tc, codes_move_pairs_of_every_size, 0, 2);
    tcase_add_test(tc, stream_copies_at_every_alignment);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
