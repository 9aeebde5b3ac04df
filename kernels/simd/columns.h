/* Ragged columns, row after row. Included by table.h after rows.h. */
#pragma once

#include "kernels/simd/kernel_table.h"
#include "kernels/simd/rows.h"

/* Columns that are looked at before the first of them is moved. */
enum { COLUMNS_SEGMENT = 64 };

/* Finds the columns, of `count` from `first` on, whose row is in the first half
 * of their length, without a branch that depends on a length. Returns their
 * number. */
INLINE size_t find_moving(const struct ragged_columns *c, size_t row,
                          size_t first, size_t count, size_t *moving)
{
    const int64_t *lens = c->lens;
    size_t found = 0;

    for (size_t i = first; i < first + count; i++) {
        moving[found] = i;
        found += row < (size_t)lens[i] / 2;
    }
    return found;
}

/* Both loops are inlined, with `entry` and `blocks` as constants (rows.h). They
 * work on a copy of the arguments, which the stored bytes cannot alias. */
INLINE void swap_columns(unsigned char *data,
                         const struct ragged_columns *columns,
                         swap_row_fn *entry, size_t blocks)
{
    const struct ragged_columns c = *columns;
    size_t moving[COLUMNS_SEGMENT];

    for (size_t row = c.row; row < c.row + c.rows; row++) {
        for (size_t i = 0; i < c.count; i += COLUMNS_SEGMENT) {
            size_t left = c.count - i;
            size_t found = find_moving(
                &c, row, i, left < COLUMNS_SEGMENT ? left : COLUMNS_SEGMENT,
                moving);

            for (size_t k = 0; k < found; k++) {
                unsigned char *column = data + moving[k] * c.size;
                size_t partner = (size_t)c.lens[moving[k]] - 1 - row;

                entry(column + row * c.from_step,
                      column + partner * c.from_step, c.size, blocks);
            }
        }
    }
}

INLINE void copy_columns(const unsigned char *from, unsigned char *to,
                         const struct ragged_columns *columns,
                         copy_row_fn *entry, size_t blocks)
{
    const struct ragged_columns c = *columns;

    for (size_t row = c.row; row < c.row + c.rows; row++, to += c.to_step) {
        for (size_t i = 0; i < c.count; i++) {
            size_t len = (size_t)c.lens[i];
            size_t source = row < len ? len - 1 - row : row;

            entry(from + source * c.from_step + i * c.size, to + i * c.size,
                  c.size, blocks);
        }
    }
}

/* As column_kernels.swap() and copy(). */
static void columns_swap(unsigned char *data, const struct ragged_columns *c)
{
    FOR_ROW_SIZE(c->size, swap_columns, swap_row_, data, c);
}

static void columns_copy(const unsigned char *from, unsigned char *to,
                         const struct ragged_columns *c)
{
    FOR_ROW_SIZE(c->size, copy_columns, copy_row_, from, to, c);
}
