/* Ragged columns, row after row, and the transposition of matrices. Included by
 * table.h after a vector. */
#pragma once

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

/* Inlined, with `entry` and `blocks` as constants (rows.h). Works on a copy of
 * the arguments, which the stored bytes cannot alias. */
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

                entry(column + row * c.step, column + partner * c.step, c.size,
                      blocks);
            }
        }
    }
}

/* As kernel_table.swap_columns(). */
static void columns_swap(unsigned char *data, const struct ragged_columns *c)
{
    FOR_ROW_SIZE(c->size, swap_columns, swap_row_, data, c);
}

/* Transposes matrices of small elements, in tiles that fit into registers.
 *
 * A vector has several lanes of 16 bytes, loaded from rows of their own: lane k
 * from row i + k * n, where n elements fill a lane. So after the elements have
 * been transposed inside the lanes, a vector is a piece of a column. */
enum { TRANSPOSE_LANE = 16, TRANSPOSE_LINE = 64 };

#define TRANSPOSE_UNROLL _Pragma("GCC unroll 16")

/* Transposes n x n elements in each lane of v[0] .. v[n - 1].
 *
 * An element has the address (vector, position in the lane), with equally many
 * bits each. Interleaving vectors i and i + n/2 rotates these bits by one.
 * After half of them have rotated, vector and position have changed roles. */
INLINE void transpose_in_lanes(vector *v, size_t size)
{
    const size_t n = TRANSPOSE_LANE / size;
    vector w[TRANSPOSE_LANE];

    TRANSPOSE_UNROLL for (size_t done = 1; done < n; done *= 2)
    {
        TRANSPOSE_UNROLL for (size_t i = 0; i < n / 2; i++)
        {
            w[2 * i] = vector_interleave_low(v[i], v[i + n / 2], size);
            w[2 * i + 1] = vector_interleave_high(v[i], v[i + n / 2], size);
        }
        TRANSPOSE_UNROLL for (size_t i = 0; i < n; i++) v[i] = w[i];
    }
}

/* Lanes of a row in a tile: as many as make a whole vector, so that a cache
 * line is read at once, or as there are registers for. */
INLINE size_t transpose_lanes_of(size_t size)
{
    return size < VECTOR_LANES ? size : VECTOR_LANES;
}

/* Nontemporal stores of parts of cache lines are slower than ordinary ones. */
INLINE void transpose_store(unsigned char *to, vector v, bool nontemporal)
{
#if VECTOR_BYTES == 64
    if (nontemporal) {
        vector_store_nontemporal(to, v);
        return;
    }
#endif
    (void)nontemporal;
    vector_store(to, v);
}

INLINE void transpose_tile(const unsigned char *from, unsigned char *to,
                           const struct transpose *t, size_t size)
{
    const size_t n = TRANSPOSE_LANE / size, lanes = transpose_lanes_of(size);
    vector v[VECTOR_LANES][TRANSPOSE_LANE];

    TRANSPOSE_UNROLL for (size_t i = 0; i < n; i++)
    {
        TRANSPOSE_UNROLL for (size_t j = 0; j < lanes; j++) v[j][i] =
            vector_load_lanes(from + i * t->from_step + j * TRANSPOSE_LANE,
                              n * t->from_step);
    }
    TRANSPOSE_UNROLL for (size_t j = 0; j < lanes; j++)
    {
        transpose_in_lanes(v[j], size);
        TRANSPOSE_UNROLL for (size_t i = 0; i < n; i++, to += t->to_step)
            transpose_store(to, v[j][i], t->nontemporal);
    }
}

/* Prefetches the next `lines` cache lines into the second level cache. Memory
 * answers at full rate when lines are requested in the order of their
 * addresses, some at a time. `at` bytes of the first row are done. */
INLINE size_t transpose_prefetch(struct transpose *t, size_t at, size_t lines)
{
    for (; lines > 0 && t->next_rows > 0; lines--) {
        __builtin_prefetch(t->next + at, 0, 2);
        at += TRANSPOSE_LINE;
        if (at >= t->next_bytes) {
            at = 0;
            t->next += t->next_step;
            t->next_rows--;
        }
    }
    return at;
}

/* The tile at i; the last one ends where the side ends, so it may overlap the
 * tile before. */
INLINE size_t transpose_tile_at(size_t i, size_t tile, size_t side)
{
    return i + tile <= side ? i : side - tile;
}

INLINE void transpose_sized(const unsigned char *from, unsigned char *to,
                            const struct transpose *matrix, size_t size)
{
    struct transpose t = *matrix; /* the data cannot alias it */
    const size_t rows = VECTOR_BYTES / size;
    const size_t columns = transpose_lanes_of(size) * TRANSPOSE_LANE / size;
    size_t at = 0;

    /* Parts of cache lines would be slower than ordinary stores. */
    t.nontemporal = t.nontemporal && VECTOR_BYTES == TRANSPOSE_LINE &&
                    ((uintptr_t)to | t.to_step) % VECTOR_BYTES == 0 &&
                    t.rows % rows == 0;
    for (size_t i = 0; i < t.rows; i += rows) {
        size_t row = transpose_tile_at(i, rows, t.rows);

        for (size_t j = 0; j < t.columns; j += columns) {
            size_t column = transpose_tile_at(j, columns, t.columns);

            at = transpose_prefetch(&t, at,
                                    rows * columns * size / TRANSPOSE_LINE);
            transpose_tile(from + row * t.from_step + column * size,
                           to + column * t.to_step + row * size, &t, size);
        }
    }
}

/* As kernel_table.transpose(). */
static void transpose(const unsigned char *from, unsigned char *to,
                      const struct transpose *t)
{
    switch (t->size) {
    case 1:
        transpose_sized(from, to, t, 1);
        break;
    case 2:
        transpose_sized(from, to, t, 2);
        break;
    case 4:
        transpose_sized(from, to, t, 4);
        break;
    case 8:
        transpose_sized(from, to, t, 8);
        break;
    default:
        transpose_sized(from, to, t, 16);
    }
}
