/* Ragged columns, row after row. Included by table.c after rows.h. */
#pragma once

#include "kernels/simd/column_args.h"
#include "kernels/simd/rows.h"

/* Columns whose partners are computed before the first of them is moved. */
enum { COLUMNS_SEGMENT = 64 };

/* Columns first .. first + count - 1 of a row. */
struct column_segment {
    size_t row, first, count;
};

/* Finds the columns of a segment whose row is in the first half of their
 * length, without a branch that depends on a length. Writes the offset of each
 * of these entries, and of its partner, from row 0 on. Returns their number. */
INLINE size_t find_partners(const struct ragged_columns *c,
                            struct column_segment s, size_t *offsets,
                            size_t *partners)
{
    const size_t step = c->from_step, size = c->size;
    const int64_t *lens = c->lens + s.first;
    size_t found = 0;

    for (size_t i = 0; i < s.count; i++) {
        size_t len = (size_t)lens[i], at = (s.first + i) * size;

        offsets[found] = s.row * step + at;
        partners[found] = (len - 1 - s.row) * step + at;
        found += s.row < len / 2;
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
    size_t offsets[COLUMNS_SEGMENT], partners[COLUMNS_SEGMENT];

    for (size_t row = c.row; row < c.row + c.rows; row++) {
        for (size_t i = 0; i < c.count; i += COLUMNS_SEGMENT) {
            size_t left = c.count - i;
            struct column_segment s = {
                row, i, left < COLUMNS_SEGMENT ? left : COLUMNS_SEGMENT};
            size_t found = find_partners(&c, s, offsets, partners);

            for (size_t k = 0; k < found; k++)
                entry(data + offsets[k], data + partners[k], c.size, blocks);
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
#define CALL(part, blocks) swap_columns(data, c, swap_row_##part, blocks)
    FOR_ROW_SIZE(c->size, CALL);
#undef CALL
}

static void columns_copy(const unsigned char *from, unsigned char *to,
                         const struct ragged_columns *c)
{
#define CALL(part, blocks) copy_columns(from, to, c, copy_row_##part, blocks)
    FOR_ROW_SIZE(c->size, CALL);
#undef CALL
}
