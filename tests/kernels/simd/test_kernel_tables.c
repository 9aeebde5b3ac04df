/* The row kernels of each instruction set against one byte at a time, at all 64
 * alignments, around every vector width; no byte beside the rows may change. */
#include "kernels/simd/kernel_table.h"
#include "tests/kernels/simd/row_case.h"
#include "tests/kernels/simd/tables.h"
#include "tests/unit.h"

/* Sizes with a vector form, and those around vector widths. */
static size_t next_size(size_t size)
{
    return size < 9 || size % 16 == 15 || size % 16 == 0 ? size + 1 : size + 2;
}

/* Entries of one span are swapped from both ends. */
LOOP_TEST(swap_reverses_spans_of_every_length, tables_count())
{
    row_case_fill();
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

                row_case_swap(_i, &r);
            }
        }
    }
}

/* The two sides are apart, or in the other order. */
LOOP_TEST(swap_reverses_between_regions, tables_count())
{
    row_case_fill();
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

                row_case_swap(_i, &r);
            }
        }
    }
}

LOOP_TEST(copy_reverses_spans_of_every_length, tables_count())
{
    row_case_fill();
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

                row_case_copy(_i, &r);
            }
        }
    }
}

/* Rows of every size, mirrored and side by side, near and far. */
LOOP_TEST(kernels_move_rows_of_every_size, tables_count())
{
    row_case_fill();
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

            row_case_swap(_i, &r);
            row_case_copy(_i, &r);
        }
    }
}

/* Around the size from which on memcpy() copies rows. */
LOOP_TEST(kernels_move_long_rows, tables_count())
{
    row_case_fill();
    for (size_t size = 1900; size < 2060; size++) {
        struct strided_rows r = {
            .b = ROW_CASE_BYTES - size, .count = 1, .size = size, .batch = 1};

        row_case_copy(_i, &r);
        row_case_swap(_i, &r);
    }
}

/* From the best to plain C, no two the same. */
UNIT_TEST(tables_end_with_the_generic_one)
{
    int tables = tables_count();

    unsetenv("FLIPD_SIMD");
    ck_assert_ptr_eq(kernel_table_active(), tables_get(0));
    ck_assert_int_gt(tables, 0);
    ck_assert_ptr_eq(tables_get(tables - 1), &kernel_table_generic);
    for (int i = 1; i < tables; i++)
        ck_assert_ptr_ne(tables_get(i), tables_get(i - 1));
}

UNIT_TEST(flipd_simd_holds_the_choice_down)
{
    setenv("FLIPD_SIMD", "generic", 1);
    ck_assert_ptr_eq(kernel_table_active(), &kernel_table_generic);
}
