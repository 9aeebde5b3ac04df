/* Lines of columns against the formula. */
#include <check.h>
#include <string.h>

#include "kernels/move/column_shift.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { LINE = 64, MOST_STEP = 130, GUARD = 128 };
enum { ROOM = MOVE_RISE_ROWS * MOST_STEP + 2 * GUARD };

static uint64_t state = 23;

static _Alignas(64) unsigned char from[ROOM], to[ROOM], wanted[ROOM];
static _Alignas(64) unsigned char scratch[MOVE_RISE_SCRATCH];

/* Rows around the places where blocks, digits and windows end. */
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

/* A column of r whose first entry is at `at`. */
static void expect_column(const struct move_rise *r, size_t len,
                          const unsigned char *source, size_t at)
{
    for (size_t t = 0; t < r->rows; t++) {
        size_t row = t < len ? len - 1 - t : t;

        memcpy(wanted + at + t * r->step, source + at + row * r->step, r->size);
    }
}

static void expect(const struct move_rise *r, size_t count,
                   const unsigned char *source, size_t at)
{
    for (size_t i = r->kept; i < count; i++)
        expect_column(r, (size_t)r->lens[i], source, at + i * r->size);
}

static void check(const struct move_code *code, const struct move_rise *r,
                  const unsigned char *source, size_t at)
{
    memcpy(wanted, to, ROOM);
    expect(r, LINE / r->size, source, at);
    code->rise(source + at, to + at, scratch, r);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu rows of %zu, %zu bytes each, %zu kept, at %zu",
                     code->name, r->rows, r->step, r->size, r->kept, at);
}

/* In place, where some columns may be kept, and from one place to another. */
START_TEST(codes_raise_lines_of_columns)
{
    const struct move_code *code = move_code_best();
    int64_t lens[LINE];

    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    naive_fill(&state, scratch, sizeof(scratch));
    for (size_t i = 0; code->rise && i < (size_t)ROWS * 12; i++) {
        struct move_rise r = {.lens = lens,
                              .size = (size_t)1 << _i,
                              .rows = rows_of[i % ROWS],
                              .step = LINE + i % (MOST_STEP - LINE)};
        size_t at = GUARD - i % 64;

        fill_lens(lens, LINE / r.size, r.rows, (int)(i % 4));
        check(code, &r, from, at);
        r.kept = i % (LINE / r.size);
        check(code, &r, to, at);
    }
}
END_TEST

/* The same by way of move_rise(), with columns that are no whole lines. */
START_TEST(columns_are_made_of_lines)
{
    const struct move_code *code = move_code_best();
    size_t size = (size_t)1 << _i;
    int64_t lens[MOST_STEP];

    naive_fill(&state, to, ROOM);
    for (size_t count = LINE / size; count <= MOST_STEP / size; count++) {
        struct move_rise r = {
            .lens = lens, .size = size, .rows = 300, .step = MOST_STEP};
        struct move_columns c = {.at = count,
                                 .size = size,
                                 .count = count,
                                 .time = r.rows,
                                 .step = r.step,
                                 .lens = lens};
        struct cancel_check pace = {0};

        fill_lens(lens, count, r.rows, 0);
        memcpy(wanted, to, ROOM);
        expect(&r, count, to, c.at);
        ck_assert(!code->rise || move_rise_takes(&c, code));
        ck_assert(!code->rise || move_rise(&c, code, to, to, &pace));
        ck_assert(!code->rise || memcmp(to, wanted, ROOM) == 0);
    }
}
END_TEST

static Suite *rise_suite(void)
{
    Suite *suite = suite_create("rise");
    TCase *lines = tcase_create("lines");

    tcase_add_loop_test(lines, codes_raise_lines_of_columns, 0, 4);
    tcase_add_loop_test(lines, columns_are_made_of_lines, 0, 4);
    suite_add_tcase(suite, lines);
    return suite;
}

int main(void)
{
    return suite_run(rise_suite);
}
