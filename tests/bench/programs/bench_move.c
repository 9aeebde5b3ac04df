/* Measures the swap and copy movers and memcpy of the same bytes, alternately,
 * in memory from the daemon's buffer pool. Prints a line of medians for each
 * case, then the worst case of each class and its goal.
 *
 * bench_move [MOST_MIB [CLASS_PREFIX]] */
#include <stdlib.h>
#include <string.h>

#include "server/limits/budget.h"
#include "tests/bench/programs/move_case.h"

static struct buffer from, to;
static const char *only = "";

static void run(const struct move_case *c)
{
    move_case_run(c, only, from.data, to.data);
}

static enum move_class class_of_rows(int64_t row_bytes, bool time_lens)
{
    if (row_bytes < 256)
        return time_lens ? MOVE_ROWS_SHORT_TIME : MOVE_ROWS_SHORT;
    return time_lens ? MOVE_ROWS_LONG_TIME : MOVE_ROWS_LONG;
}

/* Batch-major and time-major, flips and lengths; time = 4 x batch. */
static void run_rows(size_t bytes, int64_t row_bytes)
{
    struct move_case c = {.row = row_bytes / 4, .bits = 32};
    int64_t rows = (int64_t)bytes / row_bytes, batch = 1;

    while (batch * batch * 4 <= rows)
        batch *= 2;
    for (int form = 0; form < 4; form++) {
        c.outer = form & 1 ? 1 : batch;
        c.inner = form & 1 ? batch : 1;
        c.time = rows / batch;
        c.lens = form & 2;
        c.class = class_of_rows(row_bytes, form == 3);
        /* A time-major flip of shorter rows has longer rows in fact. */
        if (form != 1 || row_bytes >= 256)
            run(&c);
    }
}

static void run_inner(size_t bytes, unsigned bits)
{
    int64_t count = (int64_t)(bytes * 8 / bits);
    struct move_case c = {.outer = 1,
                          .time = count,
                          .inner = 1,
                          .row = 1,
                          .bits = bits,
                          .class = bits < 8 ? MOVE_INNER_PACKED : MOVE_INNER};

    run(&c);
    c.outer = 64;
    c.time = count / 64;
    run(&c);
    c.lens = true;
    run(&c);
}

static void run_tiny(size_t bytes, unsigned bits)
{
    static const int64_t entries[] = {2, 3, 4, 7, 16, 32};

    for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
        struct move_case c = {.outer = (int64_t)(bytes * 8 / bits) / entries[i],
                              .time = entries[i],
                              .inner = 1,
                              .row = 1,
                              .bits = bits,
                              .class = MOVE_INNER_TINY};

        run(&c);
    }
}

/* [time, batch] with as many columns as rows, and long and narrow. */
static void run_time(size_t bytes, unsigned bits)
{
    int64_t count = (int64_t)(bytes * 8 / bits), batch = 1;
    struct move_case c = {.outer = 1, .row = 1, .bits = bits, .lens = true};

    c.class = bits == 32 && bytes >= (size_t)16 << 20 ? MOVE_TIME_4 : MOVE_TIME;
    while (batch * batch * 2 <= count)
        batch *= 2;
    c.inner = batch;
    c.time = count / batch;
    run(&c);
    c.inner = 64;
    c.time = count / 64;
    if (batch != 64 && bytes <= (size_t)1 << 20)
        run(&c);
}

static void run_all(size_t bytes)
{
    static const int64_t rows[] = {16, 20, 48, 64, 100, 192, 256, 1000, 4096};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        run_rows(bytes, rows[i]);
    for (unsigned bits = 1; bits <= 128; bits *= 2)
        run_inner(bytes, bits);
    for (unsigned bits = 8; bits <= 64 && bytes <= 1 << 20; bits *= 2)
        run_tiny(bytes, bits);
    for (unsigned bits = 8; bits <= 128; bits *= 2)
        run_time(bytes, bits);
}

/* Starts at a page, also for sizes for which the daemon calls malloc(): memcpy
 * is fastest then. */
static bool get(struct budget *budget, size_t bytes, struct buffer *buffer)
{
    size_t size = bytes > BUDGET_MAPPED ? bytes : BUDGET_MAPPED;

    if (!buffer_get(budget, size, buffer))
        return false;
    memset(buffer->data, 1, size);
    return true;
}

int main(int argc, char **argv)
{
    size_t most = (argc > 1 ? strtoul(argv[1], NULL, 10) : 256) << 20;
    struct budget budget;

    if (argc > 2)
        only = argv[2];
    budget_init(&budget, SIZE_MAX, 0);
    for (size_t bytes = 64 << 10; bytes <= most;
         bytes *= bytes < 1 << 20 ? 16 : 4) {
        if (!get(&budget, bytes, &from) || !get(&budget, bytes, &to))
            return 1;
        run_all(bytes);
        buffer_put(&budget, &from);
        buffer_put(&budget, &to);
    }
    move_case_summary();
    budget_free(&budget);
    return 0;
}
