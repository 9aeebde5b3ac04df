/* The column shift kernel and its mover against the formula. */
#include <check.h>
#include <string.h>

#include "kernels/move/columns/column_shift_mover.h"
#include "kernels/move/dispatch.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { LINE = 64, MOST_STEP = 130, GUARD = 128 };
enum { ROOM = COLUMN_SHIFT_MAX_ROWS * MOST_STEP + 2 * GUARD };

static uint64_t state = 23;

static _Alignas(64) unsigned char from[ROOM], to[ROOM], wanted[ROOM];
static _Alignas(64) unsigned char scratch[COLUMN_SHIFT_SCRATCH_BYTES];

/* Numbers of rows around the ends of blocks, digits and windows. */
static const size_t rows_of[] = {16,  17,  31,  32,  33,   47,   48,  63,
                                 64,  65,  127, 128, 129,  239,  240, 241,
                                 255, 256, 257, 272, 273,  511,  512, 513,
                                 640, 767, 768, 769, 1000, 1023, 1024};

enum { ROWS = sizeof(rows_of) / sizeof(*rows_of) };

/* Lengths of all kinds: none, all, few different ones. */
static void fill_lens(int64_t *lens, size_t count, size_t rows, int kind)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t len = naive_below(&state, rows + 1);

        if (kind == 1)
            len = len % 3;
        if (kind == 2)
            len = rows - len % 3;
        lens[i] = (int64_t)len;
    }
}

/* Writes the expected column whose first entry is at `at`. */
static void expect_column(const struct column_shift *r, size_t len,
                          const unsigned char *source, size_t at)
{
    for (size_t t = 0; t < r->rows; t++) {
        size_t row = t < len ? len - 1 - t : t;

        memcpy(wanted + at + t * r->step, source + at + row * r->step, r->size);
    }
}

static void expect(const struct column_shift *r, size_t count,
                   const unsigned char *source, size_t at)
{
    for (size_t i = r->kept; i < count; i++)
        expect_column(r, (size_t)r->lens[i], source, at + i * r->size);
}

static void check(const struct kernel_table *kernels,
                  const struct column_shift *r, const unsigned char *source,
                  size_t at)
{
    memcpy(wanted, to, ROOM);
    expect(r, LINE / r->size, source, at);
    kernels->column_shift->run(source + at, to + at, scratch, r);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu rows of %zu, %zu bytes each, %zu kept, at %zu",
                     kernels->name, r->rows, r->step, r->size, r->kept, at);
}

/* As a copy, and in place, where some columns may be kept. */
START_TEST(kernels_shift_64_bytes_of_columns)
{
    const struct kernel_table *kernels = dispatch_kernels();
    int64_t lens[LINE];

    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    naive_fill(&state, scratch, sizeof(scratch));
    for (size_t i = 0; kernels->column_shift && i < (size_t)ROWS * 12; i++) {
        struct column_shift r = {.lens = lens,
                                 .size = (size_t)1 << _i,
                                 .rows = rows_of[i % ROWS],
                                 .step = LINE + i % (MOST_STEP - LINE)};
        size_t at = GUARD - i % 64;

        fill_lens(lens, LINE / r.size, r.rows, (int)(i % 4));
        check(kernels, &r, from, at);
        r.kept = i % (LINE / r.size);
        check(kernels, &r, to, at);
    }
}
END_TEST

/* Columns whose rows are no multiple of 64 bytes. */
START_TEST(column_shift_moves_any_width)
{
    const struct kernel_table *kernels = dispatch_kernels();
    size_t size = (size_t)1 << _i;
    int64_t lens[MOST_STEP];

    naive_fill(&state, to, ROOM);
    for (size_t count = LINE / size; count <= MOST_STEP / size; count++) {
        struct column_shift r = {
            .lens = lens, .size = size, .rows = 300, .step = MOST_STEP};
        struct cancel_check cancel = {0};
        struct columns_args args = {.size = size,
                                    .count = count,
                                    .time = r.rows,
                                    .step = r.step,
                                    .lens = lens,
                                    .from = to + count,
                                    .to = to + count,
                                    .kernels = kernels,
                                    .cancel = &cancel};

        fill_lens(lens, count, r.rows, 0);
        memcpy(wanted, to, ROOM);
        expect(&r, count, to, count);
        if (!kernels->column_shift)
            continue;
        ck_assert(column_shift_mover_fits(&args));
        ck_assert(column_shift_mover_move(&args));
        ck_assert(memcmp(to, wanted, ROOM) == 0);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("column_shift");
    TCase *tc = tcase_create("column_shift");

    tcase_add_loop_test(tc, kernels_shift_64_bytes_of_columns, 0, 4);
    tcase_add_loop_test(tc, column_shift_moves_any_width, 0, 4);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
