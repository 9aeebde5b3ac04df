/* Rows in vectors of WIDTH bytes: the same loops for each instruction set. A
 * source file of a table defines WIDTH, then includes this. */
#pragma once

#include <string.h>

#include "kernels/simd/inline.h"
#include "kernels/simd/row_args.h"
#include "kernels/simd/small_copy.h"

/* Rows of up to SHORT_ROW bytes are moved without a loop; copies of LONG_COPY
 * bytes or more are left to memcpy(), which uses string instructions. */
enum { SHORT_ROW = 4 * WIDTH, LONG_COPY = 2048 };

typedef unsigned char vector
    __attribute__((vector_size(WIDTH), aligned(1), may_alias));

INLINE vector load(const unsigned char *at)
{
    return *(const vector *)at;
}

INLINE void store(unsigned char *at, vector value)
{
    *(vector *)at = value;
}

INLINE void swap_block(unsigned char *a, unsigned char *b)
{
    vector x = load(a), y = load(b);

    store(a, y);
    store(b, x);
}

/* A row of WIDTH * blocks + 1 to WIDTH * blocks + WIDTH bytes. Its last vector
 * overlaps the one before, so it is loaded first and stored last. */
INLINE void swap_row(unsigned char *a, unsigned char *b, size_t size,
                     size_t blocks)
{
    unsigned char *last_a = a + size - WIDTH, *last_b = b + size - WIDTH;
    vector x = load(last_a), y = load(last_b);

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

/* The size class of a row: the number of its whole vectors before the last one,
 * or CLASS_LONG for rows that need a loop. */
enum { CLASS_LONG = 4 };

INLINE size_t class_of(size_t size)
{
    return size > SHORT_ROW ? CLASS_LONG : (size - 1) / WIDTH;
}

INLINE void swap_one(unsigned char *a, unsigned char *b, size_t size,
                     size_t size_class)
{
    swap_row(a, b, size,
             size_class == CLASS_LONG ? (size - 1) / WIDTH : size_class);
}

INLINE void copy_one(const unsigned char *from, unsigned char *to, size_t size,
                     size_t size_class)
{
    if (size_class == CLASS_LONG)
        copy_long_row(from, to, size);
    else
        copy_row(from, to, size, size_class);
}

/* Expands to CALL(size_class) with the class as a constant, so that no loop
 * remains within a short row. */
#define FOR_SIZE_CLASS(size, CALL)                                             \
    switch (class_of(size)) {                                                  \
    case 0:                                                                    \
        CALL(0);                                                               \
        break;                                                                 \
    case 1:                                                                    \
        CALL(1);                                                               \
        break;                                                                 \
    case 2:                                                                    \
        CALL(2);                                                               \
        break;                                                                 \
    case 3:                                                                    \
        CALL(3);                                                               \
        break;                                                                 \
    default:                                                                   \
        CALL(CLASS_LONG);                                                      \
    }

/* Works on a copy of the arguments, which the stored bytes cannot alias. */
INLINE void swap_all(unsigned char *data, const struct strided_rows *rows,
                     size_t size_class)
{
    const struct strided_rows r = *rows;

    for (size_t plane = 0; plane < r.batch; plane++) {
        unsigned char *a = data + r.a + plane * r.batch_step;
        unsigned char *b = data + r.b + plane * r.batch_step;

        for (size_t i = 0; i < r.count; i++) {
            swap_one(a, b, r.size, size_class);
            a += r.a_step;
            b += r.b_step;
        }
    }
}

INLINE void copy_all(const unsigned char *data, unsigned char *out,
                     const struct strided_rows *rows, size_t size_class)
{
    const struct strided_rows r = *rows;

    for (size_t plane = 0; plane < r.batch; plane++) {
        const unsigned char *from = data + r.b + plane * r.batch_step;
        unsigned char *to = out + r.a + plane * r.batch_step;

        for (size_t i = 0; i < r.count; i++) {
            copy_one(from, to, r.size, size_class);
            from += r.b_step;
            to += r.a_step;
        }
    }
}

/* As row_kernels.swap() and copy(), for rows of WIDTH bytes or more. */
INLINE void swap_rows(unsigned char *data, const struct strided_rows *rows){
#define CALL(size_class) swap_all(data, rows, size_class)
    FOR_SIZE_CLASS(rows->size, CALL)
#undef CALL
}

INLINE void copy_rows(const unsigned char *from, unsigned char *to,
                      const struct strided_rows *rows)
{
#define CALL(size_class) copy_all(from, to, rows, size_class)
    FOR_SIZE_CLASS(rows->size, CALL)
#undef CALL
}
