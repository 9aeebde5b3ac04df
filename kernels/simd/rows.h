/* Rows of any size, equally spaced or of sequences. Included by table.h after a
 * vector.
 *
 * A row is moved in parts of one constant size: `blocks` whole ones, and a last
 * one that ends where the row ends, so it may overlap the one before. */
#pragma once

#include "kernels/simd/kernel_table.h"

typedef uint8_t part_1 __attribute__((may_alias));
typedef uint16_t part_2 __attribute__((aligned(1), may_alias));
typedef uint32_t part_4 __attribute__((aligned(1), may_alias));
typedef uint64_t part_8 __attribute__((aligned(1), may_alias));
typedef uint8_t part_16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint8_t part_32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint8_t part_vector
    __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

/* The last part is loaded first and stored last. */
#define DEFINE_ROW(part)                                                       \
    INLINE void swap_row_##part(unsigned char *a, unsigned char *b,            \
                                size_t size, size_t blocks)                    \
    {                                                                          \
        const size_t last = size - sizeof(part);                               \
        part x = *(part *)(a + last), y = *(part *)(b + last);                 \
                                                                               \
        for (size_t i = 0; i < blocks; i++) {                                  \
            part v = ((part *)a)[i], w = ((part *)b)[i];                       \
                                                                               \
            ((part *)a)[i] = w;                                                \
            ((part *)b)[i] = v;                                                \
        }                                                                      \
        *(part *)(a + last) = y;                                               \
        *(part *)(b + last) = x;                                               \
    }                                                                          \
    INLINE void copy_row_##part(const unsigned char *from, unsigned char *to,  \
                                size_t size, size_t blocks)                    \
    {                                                                          \
        part last = *(const part *)(from + size - sizeof(part));               \
                                                                               \
        for (size_t i = 0; i < blocks; i++)                                    \
            ((part *)to)[i] = ((const part *)from)[i];                         \
        *(part *)(to + size - sizeof(part)) = last;                            \
    }

DEFINE_ROW(part_1)
DEFINE_ROW(part_2)
DEFINE_ROW(part_4)
DEFINE_ROW(part_8)
DEFINE_ROW(part_16)
DEFINE_ROW(part_32)
DEFINE_ROW(part_vector)

/* Copies of LONG_COPY bytes or more are left to memcpy(), which uses string
 * instructions. */
enum { LONG_COPY = 2048 };

INLINE void swap_row_long(unsigned char *a, unsigned char *b, size_t size,
                          size_t blocks)
{
    (void)blocks;
    swap_row_part_vector(a, b, size, (size - 1) / VECTOR_BYTES);
}

INLINE void copy_row_long(const unsigned char *from, unsigned char *to,
                          size_t size, size_t blocks)
{
    (void)blocks;
    if (size < LONG_COPY)
        copy_row_part_vector(from, to, size, (size - 1) / VECTOR_BYTES);
    else
        memcpy(to, from, size);
}

/* Calls move(..., row_PART, blocks) for rows of `size` bytes, the last two
 * being constants, so that no loop remains within a short row. */
#define FOR_ROW_SIZE(size, move, row, ...)                                     \
    if ((size) > 4 * sizeof(part_vector))                                      \
        move(__VA_ARGS__, row##long, 0);                                       \
    else if ((size) > 3 * sizeof(part_vector))                                 \
        move(__VA_ARGS__, row##part_vector, 3);                                \
    else if ((size) > 2 * sizeof(part_vector))                                 \
        move(__VA_ARGS__, row##part_vector, 2);                                \
    else if ((size) > VECTOR_BYTES)                                            \
        move(__VA_ARGS__, row##part_vector, 1);                                \
    else if ((size) == VECTOR_BYTES)                                           \
        move(__VA_ARGS__, row##part_vector, 0);                                \
    else if (VECTOR_BYTES > 32 && (size) > 32)                                 \
        move(__VA_ARGS__, row##part_32, 1);                                    \
    else if (VECTOR_BYTES > 32 && (size) == 32)                                \
        move(__VA_ARGS__, row##part_32, 0);                                    \
    else if (VECTOR_BYTES > 16 && (size) > 16)                                 \
        move(__VA_ARGS__, row##part_16, 1);                                    \
    else if (VECTOR_BYTES > 16 && (size) == 16)                                \
        move(__VA_ARGS__, row##part_16, 0);                                    \
    else if ((size) > 8)                                                       \
        move(__VA_ARGS__, row##part_8, 1);                                     \
    else if ((size) == 8)                                                      \
        move(__VA_ARGS__, row##part_8, 0);                                     \
    else if ((size) > 4)                                                       \
        move(__VA_ARGS__, row##part_4, 1);                                     \
    else if ((size) == 4)                                                      \
        move(__VA_ARGS__, row##part_4, 0);                                     \
    else if ((size) == 3)                                                      \
        move(__VA_ARGS__, row##part_2, 1);                                     \
    else if ((size) == 2)                                                      \
        move(__VA_ARGS__, row##part_2, 0);                                     \
    else                                                                       \
        move(__VA_ARGS__, row##part_1, 0)

typedef void swap_row_fn(unsigned char *a, unsigned char *b, size_t size,
                         size_t blocks);
typedef void copy_row_fn(const unsigned char *from, unsigned char *to,
                         size_t size, size_t blocks);

/* These loops are inlined, with `row` and `blocks` as constants. They work on a
 * copy of the arguments, which the stored bytes cannot alias. */
INLINE void swap_strided(unsigned char *data, const struct strided_rows *rows,
                         swap_row_fn *row, size_t blocks)
{
    const struct strided_rows r = *rows;

    for (size_t plane = 0; plane < r.batch; plane++) {
        unsigned char *a = data + r.a + plane * r.batch_step;
        unsigned char *b = data + r.b + plane * r.batch_step;

        for (size_t i = 0; i < r.count; i++) {
            row(a, b, r.size, blocks);
            a += r.a_step;
            b += r.b_step;
        }
    }
}

INLINE void copy_strided(const unsigned char *data, unsigned char *out,
                         const struct strided_rows *rows, copy_row_fn *row,
                         size_t blocks)
{
    const struct strided_rows r = *rows;

    for (size_t plane = 0; plane < r.batch; plane++) {
        const unsigned char *from = data + r.b + plane * r.batch_step;
        unsigned char *to = out + r.a + plane * r.batch_step;

        for (size_t i = 0; i < r.count; i++) {
            row(from, to, r.size, blocks);
            from += r.b_step;
            to += r.a_step;
        }
    }
}

/* Exchanges rows up to the middle of each length. */
INLINE void swap_sequences(unsigned char *data, const struct ragged_rows *rows,
                           swap_row_fn *row, size_t blocks)
{
    const struct ragged_rows r = *rows;

    for (size_t i = 0; i < r.count; i++) {
        size_t len = (size_t)r.lens[i];
        unsigned char *a = data, *b = data + len * r.size;

        for (size_t swapped = 0; swapped < len / 2; swapped++) {
            b -= r.size;
            row(a, b, r.size, blocks);
            a += r.size;
        }
        data += r.rows * r.size;
    }
}

/* As kernel_table.swap_rows() and copy_rows(). */
static void swap_rows(unsigned char *data, const struct strided_rows *rows)
{
    FOR_ROW_SIZE(rows->size, swap_strided, swap_row_, data, rows);
}

static void copy_rows(const unsigned char *from, unsigned char *to,
                      const struct strided_rows *rows)
{
    FOR_ROW_SIZE(rows->size, copy_strided, copy_row_, from, to, rows);
}

/* As kernel_table.swap_ragged_rows(). */
static void swap_rows_ragged(unsigned char *data,
                             const struct ragged_rows *rows)
{
    FOR_ROW_SIZE(rows->size, swap_sequences, swap_row_, data, rows);
}
