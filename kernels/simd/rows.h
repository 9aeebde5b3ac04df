/* Rows in vectors of WIDTH bytes, a macro that is set before: the same loops
 * for each instruction set. Private to the files that are them. */
#pragma once

#include <string.h>

#include "kernels/simd/kernel_table.h"
#include "kernels/simd/unit.h"

#define INLINE MOVE_UNIT_INLINE

/* Rows of up to so many bytes are moved without a loop; copies from here on
 * are left to the C library, which knows string instructions. */
enum { SHORT_ROW = 4 * WIDTH, LONG_COPY = 2048 };

typedef unsigned char wide
    __attribute__((vector_size(WIDTH), aligned(1), may_alias));

INLINE wide load(const unsigned char *at)
{
    return *(const wide *)at;
}

INLINE void store(unsigned char *at, wide value)
{
    *(wide *)at = value;
}

INLINE void swap_block(unsigned char *a, unsigned char *b)
{
    wide x = load(a), y = load(b);

    store(a, y);
    store(b, x);
}

/* A row of WIDTH x blocks + 1 to WIDTH x blocks + WIDTH bytes; the last block
 * overlaps the one before, so it is taken first and put down last. */
INLINE void swap_row(unsigned char *a, unsigned char *b, size_t size,
                     size_t blocks)
{
    unsigned char *last_a = a + size - WIDTH, *last_b = b + size - WIDTH;
    wide x = load(last_a), y = load(last_b);

    for (size_t i = 0; i < blocks; i++)
        swap_block(a + i * WIDTH, b + i * WIDTH);
    store(last_a, y);
    store(last_b, x);
}

INLINE void copy_row(const unsigned char *from, unsigned char *to, size_t size,
                     size_t blocks)
{
    for (size_t i = 0; i < blocks; i++)
        store(to + i * WIDTH, load(from + i * WIDTH));
    store(to + size - WIDTH, load(from + size - WIDTH));
}

static void copy_long_row(const unsigned char *from, unsigned char *to,
                          size_t size)
{
    if (size < LONG_COPY)
        copy_row(from, to, size, (size - 1) / WIDTH);
    else
        memcpy(to, from, size);
}

/* How rows of a size are moved: by so many blocks and the last, or: */
enum { LONG = 4 };

INLINE size_t way_of(size_t size)
{
    return size > SHORT_ROW ? LONG : (size - 1) / WIDTH;
}

INLINE void swap_one(unsigned char *a, unsigned char *b, size_t size,
                     size_t way)
{
    swap_row(a, b, size, way == LONG ? (size - 1) / WIDTH : way);
}

INLINE void copy_one(const unsigned char *from, unsigned char *to, size_t size,
                     size_t way)
{
    if (way == LONG)
        copy_long_row(from, to, size);
    else
        copy_row(from, to, size, way);
}

/* Calls ALL(way) with the way as a constant, so that no row has a loop. */
#define IN_EACH_WAY(size, ALL)                                                 \
    switch (way_of(size)) {                                                    \
    case 0:                                                                    \
        ALL(0);                                                                \
        break;                                                                 \
    case 1:                                                                    \
        ALL(1);                                                                \
        break;                                                                 \
    case 2:                                                                    \
        ALL(2);                                                                \
        break;                                                                 \
    case 3:                                                                    \
        ALL(3);                                                                \
        break;                                                                 \
    default:                                                                   \
        ALL(LONG);                                                             \
    }

/* The copy is no alias of the bytes. */
INLINE void swap_all(unsigned char *data, const struct move_rows *rows,
                     size_t way)
{
    const struct move_rows r = *rows;

    for (size_t plane = 0; plane < r.planes; plane++) {
        unsigned char *a = data + r.a + plane * r.plane_step;
        unsigned char *b = data + r.b + plane * r.plane_step;

        for (size_t i = 0; i < r.count; i++) {
            swap_one(a, b, r.size, way);
            a += r.a_step;
            b += r.b_step;
        }
    }
}

INLINE void copy_all(const unsigned char *data, unsigned char *out,
                     const struct move_rows *rows, size_t way)
{
    const struct move_rows r = *rows;

    for (size_t plane = 0; plane < r.planes; plane++) {
        const unsigned char *from = data + r.b + plane * r.plane_step;
        unsigned char *to = out + r.a + plane * r.plane_step;

        for (size_t i = 0; i < r.count; i++) {
            copy_one(from, to, r.size, way);
            from += r.b_step;
            to += r.a_step;
        }
    }
}

INLINE void swap_rows(unsigned char *data, const struct move_rows *rows){
#define ALL(way) swap_all(data, rows, way)
    IN_EACH_WAY(rows->size, ALL)
#undef ALL
}

INLINE void copy_rows(const unsigned char *from, unsigned char *to,
                      const struct move_rows *rows)
{
#define ALL(way) copy_all(from, to, rows, way)
    IN_EACH_WAY(rows->size, ALL)
#undef ALL
}
