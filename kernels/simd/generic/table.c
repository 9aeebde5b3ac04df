#include "kernels/simd/kernel_table.h"

#include <string.h>

#include "kernels/simd/unit.h"

#include "kernels/simd/generic/generic.h"

/* The loops are written once, for a row size that each caller makes a
 * constant, so that the compiler unrolls and vectorises them. */
#define INLINE MOVE_UNIT_INLINE

/* Rows from here on are left to the C library. */
enum { LONG_ROW = 256 };

/* Bytes in a block. */
enum { BLOCK = sizeof(struct move_unit_block) };

INLINE void swap_units(unsigned char *restrict a, unsigned char *restrict b,
                       ptrdiff_t a_step, ptrdiff_t b_step, size_t count,
                       size_t size)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++)
        move_unit_swap(a + i * a_step, b + i * b_step, size);
}

INLINE void copy_units(const unsigned char *restrict from,
                       unsigned char *restrict to, ptrdiff_t from_step,
                       ptrdiff_t to_step, size_t count, size_t size)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++)
        move_unit_copy(from + i * from_step, to + i * to_step, size);
}

/* Rows of one size. The innermost axis, flipped, has its own loop: there the
 * steps are constants too. */
INLINE void swap_sized(unsigned char *data, const struct move_rows *r,
                       ptrdiff_t size)
{
    unsigned char *a = data + r->a;
    unsigned char *b = data + r->b;

    if (r->a_step == size && r->b_step == -size)
        swap_units(a, b, size, -size, r->count, (size_t)size);
    else
        swap_units(a, b, r->a_step, r->b_step, r->count, (size_t)size);
}

INLINE void copy_sized(const unsigned char *data, unsigned char *to,
                       const struct move_rows *r, ptrdiff_t size)
{
    const unsigned char *from = data + r->b;

    to += r->a;
    if (r->a_step == size && r->b_step == -size)
        copy_units(from, to, -size, size, r->count, (size_t)size);
    else
        copy_units(from, to, r->b_step, r->a_step, r->count, (size_t)size);
}

/* A row's last `unit` bytes, if its size has that bit. Returns what is done. */
INLINE size_t swap_rest(unsigned char *restrict a, unsigned char *restrict b,
                        size_t done, size_t size, size_t unit)
{
    if (!(size & unit))
        return done;
    move_unit_swap(a + done, b + done, unit);
    return done + unit;
}

INLINE size_t copy_rest(const unsigned char *restrict from,
                        unsigned char *restrict to, size_t done, size_t size,
                        size_t unit)
{
    if (!(size & unit))
        return done;
    move_unit_copy(from + done, to + done, unit);
    return done + unit;
}

/* Exchanges two rows of any size in blocks, then in ever smaller units. */
INLINE void swap_row(unsigned char *restrict a, unsigned char *restrict b,
                     size_t size)
{
    size_t done = 0;

    for (; done + BLOCK <= size; done += BLOCK)
        move_unit_swap_block(a + done, b + done);
    done = swap_rest(a, b, done, size, 8);
    done = swap_rest(a, b, done, size, 4);
    done = swap_rest(a, b, done, size, 2);
    swap_rest(a, b, done, size, 1);
}

INLINE void copy_row(const unsigned char *restrict from,
                     unsigned char *restrict to, size_t size)
{
    size_t done = 0;

    if (size >= LONG_ROW) {
        memcpy(to, from, size);
        return;
    }
    for (; done + BLOCK <= size; done += BLOCK)
        move_unit_copy_block(from + done, to + done);
    done = copy_rest(from, to, done, size, 8);
    done = copy_rest(from, to, done, size, 4);
    done = copy_rest(from, to, done, size, 2);
    copy_rest(from, to, done, size, 1);
}

/* Bytes in eights: the loop for one byte at a time has no vector form in every
 * instruction set, a byte swap has. */
static void swap_bytes(unsigned char *data, const struct move_rows *r)
{
    size_t done = 0;

    if (r->a_step == 1 && r->b_step == -1) {
        for (; done + 8 <= r->count; done += 8) {
            unsigned char *a = data + r->a + done;
            unsigned char *b = data + r->b - done - 7;
            uint64_t x = move_unit_load(a, 8);

            move_unit_store(a, __builtin_bswap64(move_unit_load(b, 8)), 8);
            move_unit_store(b, __builtin_bswap64(x), 8);
        }
    }
    for (ptrdiff_t i = (ptrdiff_t)done; i < (ptrdiff_t)r->count; i++)
        move_unit_swap(data + r->a + i * r->a_step, data + r->b + i * r->b_step,
                       1);
}

static void copy_bytes(const unsigned char *from, unsigned char *to,
                       const struct move_rows *r)
{
    size_t done = 0;

    if (r->a_step == 1 && r->b_step == -1)
        for (; done + 8 <= r->count; done += 8)
            move_unit_store(
                to + r->a + done,
                __builtin_bswap64(move_unit_load(from + r->b - done - 7, 8)),
                8);
    for (ptrdiff_t i = (ptrdiff_t)done; i < (ptrdiff_t)r->count; i++)
        to[(ptrdiff_t)r->a + i * r->a_step] =
            from[(ptrdiff_t)r->b + i * r->b_step];
}

static void swap_plane(unsigned char *data, const struct move_rows *rows)
{
    switch (rows->size) {
    case 1:
        swap_bytes(data, rows);
        return;
    case 2:
        swap_sized(data, rows, 2);
        return;
    case 4:
        swap_sized(data, rows, 4);
        return;
    case 8:
        swap_sized(data, rows, 8);
        return;
    case 16:
        swap_sized(data, rows, 16);
        return;
    default:
        for (ptrdiff_t i = 0; i < (ptrdiff_t)rows->count; i++)
            swap_row(data + rows->a + i * rows->a_step,
                     data + rows->b + i * rows->b_step, rows->size);
    }
}

static void copy_plane(const unsigned char *from, unsigned char *to,
                       const struct move_rows *rows)
{
    switch (rows->size) {
    case 1:
        copy_bytes(from, to, rows);
        return;
    case 2:
        copy_sized(from, to, rows, 2);
        return;
    case 4:
        copy_sized(from, to, rows, 4);
        return;
    case 8:
        copy_sized(from, to, rows, 8);
        return;
    case 16:
        copy_sized(from, to, rows, 16);
        return;
    default:
        for (ptrdiff_t i = 0; i < (ptrdiff_t)rows->count; i++)
            copy_row(from + rows->b + i * rows->b_step,
                     to + rows->a + i * rows->a_step, rows->size);
    }
}

static void swap(unsigned char *data, const struct move_rows *rows)
{
    for (size_t plane = 0; plane < rows->planes; plane++)
        swap_plane(data + plane * rows->plane_step, rows);
}

static void copy(const unsigned char *from, unsigned char *to,
                 const struct move_rows *rows)
{
    for (size_t plane = 0; plane < rows->planes; plane++)
        copy_plane(from + plane * rows->plane_step,
                   to + plane * rows->plane_step, rows);
}

const struct move_code move_code_plain = {
    .name = "plain",
    .swap = swap,
    .copy = copy,
    .stream = move_stream_plain,
    .swap_columns = move_swap_columns_plain,
    .copy_columns = move_copy_columns_plain,
    .transpose = move_transpose_plain,
    .turn = move_turn_plain,
    .turn_width = 8,
    .bits = move_bits_plain,
};
