#include "tests/kernels/simd/row_case.h"

#include <check.h>
#include <string.h>

#include "tests/kernels/naive.h"
#include "tests/kernels/simd/tables.h"

unsigned char row_case_noise[ROW_CASE_BYTES], row_case_from[ROW_CASE_BYTES];
unsigned char row_case_data[ROW_CASE_BYTES], row_case_wanted[ROW_CASE_BYTES];

void row_case_fill(void)
{
    uint64_t state = 99;

    naive_fill(&state, row_case_noise, ROW_CASE_BYTES);
    naive_fill(&state, row_case_from, ROW_CASE_BYTES);
}

/* The offset of byte `i` of row `row`, if row 0 is at `first`. */
static size_t offset_of(size_t first, ptrdiff_t step, size_t row, size_t i)
{
    return (size_t)((ptrdiff_t)first + (ptrdiff_t)row * step) + i;
}

static void expect_plane(const struct strided_rows *r, size_t plane, bool swap)
{
    size_t first_a = r->a + plane * r->batch_step;
    size_t first_b = r->b + plane * r->batch_step;

    for (size_t row = 0; row < r->count; row++) {
        for (size_t i = 0; i < r->size; i++) {
            size_t a = offset_of(first_a, r->a_step, row, i);
            size_t b = offset_of(first_b, r->b_step, row, i);

            row_case_wanted[a] = swap ? row_case_data[b] : row_case_from[b];
            if (swap)
                row_case_wanted[b] = row_case_data[a];
        }
    }
}

static void expect(const struct strided_rows *r, bool swap)
{
    memcpy(row_case_data, row_case_noise, ROW_CASE_BYTES);
    memcpy(row_case_wanted, row_case_noise, ROW_CASE_BYTES);
    for (size_t plane = 0; plane < r->batch; plane++)
        expect_plane(r, plane, swap);
}

static void check(int isa, const char *mover, const struct strided_rows *r)
{
    if (memcmp(row_case_data, row_case_wanted, ROW_CASE_BYTES) != 0)
        ck_abort_msg("%s %s: a %zu %+td, b %zu %+td, %zu x %zu, %zu planes",
                     tables_name(tables_get(isa)), mover, r->a, r->a_step, r->b,
                     r->b_step, r->count, r->size, r->batch);
}

void row_case_swap(int isa, const struct strided_rows *rows)
{
    expect(rows, true);
    tables_get(isa)->swap_rows(row_case_data, rows);
    check(isa, "swap", rows);
}

void row_case_copy(int isa, const struct strided_rows *rows)
{
    expect(rows, false);
    tables_get(isa)->copy_rows(row_case_from, row_case_data, rows);
    check(isa, "copy", rows);
}
