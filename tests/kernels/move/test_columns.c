/* Columns side by side, each reversed up to its own length: every shape at the
 * edges of tiles, blocks and panels. */
#include "kernels/move/columns.h"
#include "tests/kernels/move/mover_case.h"
#include "tests/unit.h"

static const struct element_format sizes[] = {
    {8, false}, {16, false}, {32, false}, {64, false}, {128, false}};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

static uint64_t state = 17;

/* The linker replaces malloc() by this. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

enum { LARGE = 8 << 20 };

/* Memory of LARGE bytes starts with a line. */
static bool whole_lines;

void *__wrap_malloc(size_t size)
{
    if (whole_lines && size >= LARGE)
        return aligned_alloc(64, (size + 63) / 64 * 64);
    return __real_malloc(size);
}

/* [time, batch, row] with lengths up to `most`. */
static void check_columns(int64_t time, int64_t batch, int64_t row,
                          int64_t most, const struct element_format *f)
{
    static struct naive n;

    n = (struct naive){
        .shape = {3, {time, batch, row}},
        .maps = {PERMUTATION_FLIP_LENS},
        .batch_axis = 1,
    };
    for (int64_t b = 0; b < batch; b++)
        n.lens[b] = (int64_t)naive_below(&state, (uint64_t)most + 1);
    mover_case_check(&state, &n, f);
}

LOOP_TEST(columns_reverse_at_every_tile_edge, SIZES)
{
    static const int64_t times[] = {2, 3, 15, 16, 17, 31, 32, 33, 48, 100};

    for (size_t t = 0; t < sizeof(times) / sizeof(*times); t++)
        for (int64_t batch = 2; batch <= 68; batch++)
            check_columns(times[t], batch, 1, times[t], &sizes[_i]);
}

/* More columns than a panel has, and lengths that leave rows untouched. */
LOOP_TEST(columns_reverse_in_several_panels, SIZES)
{
    static const int64_t batches[] = {255, 256, 257, 513, 520, 528, 1025, 1030};

    for (size_t b = 0; b < sizeof(batches) / sizeof(*batches); b++) {
        check_columns(37, batches[b], 1, 37, &sizes[_i]);
        check_columns(37, batches[b], 1, 18, &sizes[_i]);
        check_columns(18, batches[b] / 4, 1, 3, &sizes[_i]);
    }
}

/* So long that panels are narrow, and so long that there are none. */
UNIT_TEST(columns_reverse_when_long)
{
    check_columns(20000, 70, 1, 20000, &sizes[0]);
    check_columns(70000, 17, 1, 70000, &sizes[2]);
    check_columns(300000, 16, 1, 300000, &sizes[0]);
}

/* The columns after the first panels are narrower than a tile, or than a cache
 * line. */
UNIT_TEST(columns_reverse_when_few_are_left)
{
    static const struct {
        int64_t time, batch;
        int size;
    } cases[] = {
        {210000, 19, 0}, {210000, 20, 0}, {210000, 31, 0}, {210000, 32, 0},
        {210000, 40, 0}, {50000, 65, 0},  {50000, 70, 0},  {50000, 127, 0},
        {50000, 130, 0}, {200000, 10, 1}, {25000, 33, 1},  {200000, 5, 2},
        {200000, 3, 3},  {150000, 5, 3},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_columns(cases[i].time, cases[i].batch, 1, cases[i].time,
                      &sizes[cases[i].size]);
}

/* Entries that are rows, of sizes around those at which the algorithm
 * changes. */
UNIT_TEST(columns_reverse_rows_of_every_size)
{
    static const int64_t rows[] = {3,   5,   7,   15,  17,   31,    32,
                                   33,  63,  64,  65,  100,  127,   128,
                                   129, 200, 257, 300, 8192, 16384, 16385};

    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
        check_columns(9, 5, rows[r], 9, &sizes[0]);
        check_columns(4, rows[r] < 300 ? 131 : 3, rows[r], 4, &sizes[0]);
    }
}

/* Results so large that they are written past the caches. */
static const struct {
    int64_t time, batch, row;
    int size;
} large[] = {{1040, 4070, 1, 3},
             {515, 4070, 1, 4},
             {40, 500, 106, 4},
             {36, 60, 1000, 4},
             /* Of 8 MiB and more: prefetched, small entries in strips. */
             {1003, 500, 5, 2},
             {400, 613, 9, 2},
             {1000, 250, 3, 4},
             {1000, 139, 31, 1},
             {1000, 139, 4, 4},
             {1000, 131, 33, 1},
             {1100, 525, 1, 4},
             {4000, 701, 3, 0},
             {9000, 60, 1, 4},
             {32000, 17, 1, 4},
             {800, 4000, 1, 4},
             {33000, 5, 15, 2},
             {300, 131, 129, 1},
             {100, 103, 501, 1},
             {31, 57, 625, 3}};

LOOP_TEST(columns_reverse_past_the_caches, COUNT(large))
{
    check_columns(large[_i].time, large[_i].batch, large[_i].row,
                  large[_i].time * 3 / 4, &sizes[large[_i].size]);
}

/* Targets of whole cache lines. */
UNIT_TEST(columns_reverse_into_whole_lines)
{
    whole_lines = true;
    check_columns(1003, 512, 5, 1003, &sizes[2]);
    check_columns(400, 672, 9, 400, &sizes[2]);
    check_columns(683, 256, 3, 683, &sizes[4]);
    check_columns(783, 4032, 1, 783, &sizes[2]); /* nontemporal in place too */
    whole_lines = false;
}

UNIT_TEST(columns_of_no_length_stay_in_strips)
{
    check_columns(800, 4000, 1, 0, &sizes[4]);
}
