/* The kernels for ragged rows in each instruction set, against one row at a
 * time; no byte beside the sequences may change. */
#include "tests/kernels/naive.h"
#include "tests/kernels/simd/row_case.h"
#include "tests/kernels/simd/tables.h"
#include "tests/unit.h"

static uint64_t state = 99;

/* Writes the expected sequences to `at`. */
static void expect_sequences(const struct ragged_rows *s, size_t at)
{
    for (size_t i = 0; i < s->count; i++) {
        for (size_t row = 0; row < s->rows; row++) {
            size_t len = (size_t)s->lens[i];
            size_t source = row < len ? len - 1 - row : row;

            memcpy(row_case_wanted + at + row * s->size,
                   row_case_from + at + source * s->size, s->size);
        }
        at += s->rows * s->size;
    }
}

static void check_sequences(const struct kernel_table *kernels,
                            const struct ragged_rows *s, size_t at)
{
    memcpy(row_case_wanted, row_case_noise, ROW_CASE_BYTES);
    expect_sequences(s, at);
    memcpy(row_case_data, row_case_noise, ROW_CASE_BYTES);
    memcpy(row_case_data + at, row_case_from + at,
           s->count * s->rows * s->size);
    kernels->swap_ragged_rows(row_case_data + at, s);
    if (memcmp(row_case_data, row_case_wanted, ROW_CASE_BYTES) != 0)
        ck_abort_msg("%s: %zu sequences of %zu x %zu bytes at %zu",
                     tables_name(kernels), s->count, s->rows, s->size, at);
}

/* Batches of 1 to 4 sequences, mostly of up to some 200 bytes, now and then
 * so long that their end costs little. */
LOOP_TEST(kernels_reverse_ragged_rows_of_every_size, tables_count())
{
    int64_t lens[4];

    row_case_fill();
    for (size_t size = 1; size <= 2100; size += size < 280 ? 1 : 590) {
        size_t most = size > 200 ? 3 : 200 / size + 2;

        for (size_t rows = 1; rows <= most; rows++) {
            struct ragged_rows s = {
                .size = size,
                .rows = rows == most && size % 4 == 0 ? 4200 / size + 1 : rows,
                .count = 1,
                .lens = lens,
            };
            size_t fits = (ROW_CASE_BYTES - 128) / (s.rows * size);

            s.count = 1 + (size + rows) % (fits < 4 ? fits : 4);
            for (size_t i = 0; i < s.count; i++)
                lens[i] = (int64_t)(naive_random(&state) % (s.rows + 1));
            check_sequences(tables_get(_i), &s, 64 + rows % 64);
        }
    }
}
