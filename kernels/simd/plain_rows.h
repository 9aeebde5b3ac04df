/* Strided rows in plain C. Every table includes these loops for the row sizes
 * for which its vectors gain nothing; the generic table has no others. */
#pragma once

#include <string.h>

#include "kernels/simd/inline.h"
#include "kernels/simd/small_copy.h"
#include "kernels/simd/strided_rows.h"

enum {
    PLAIN_LONG_ROW =
        256, /* rows of at least this size are copied by memcpy() */
    PLAIN_BLOCK = sizeof(struct small_16)
};

INLINE void swap_small_rows(unsigned char *restrict a,
                            unsigned char *restrict b,
                            const struct strided_rows r, size_t size)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)r.count; i++)
        small_swap(a + i * r.a_step, b + i * r.b_step, size);
}

INLINE void copy_small_rows(const unsigned char *restrict from,
                            unsigned char *restrict to,
                            const struct strided_rows r, size_t size)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)r.count; i++)
        small_copy(from + i * r.b_step, to + i * r.a_step, size);
}

/* Rows of one size. Where adjacent rows are reversed (a flip of the innermost
 * axis), the steps are constants too. */
INLINE void swap_sized(unsigned char *a, unsigned char *b,
                       struct strided_rows r, ptrdiff_t size)
{
    if (r.a_step == size && r.b_step == -size) {
        r.a_step = size;
        r.b_step = -size;
        swap_small_rows(a, b, r, (size_t)size);
    } else {
        swap_small_rows(a, b, r, (size_t)size);
    }
}

INLINE void copy_sized(const unsigned char *from, unsigned char *to,
                       struct strided_rows r, ptrdiff_t size)
{
    if (r.a_step == size && r.b_step == -size) {
        r.a_step = size;
        r.b_step = -size;
        copy_small_rows(from, to, r, (size_t)size);
    } else {
        copy_small_rows(from, to, r, (size_t)size);
    }
}

/* Moves `part` bytes at `done` if the size of the row has that bit. Returns the
 * bytes of the row that are done. */
INLINE size_t swap_rest(unsigned char *restrict a, unsigned char *restrict b,
                        size_t done, size_t size, size_t part)
{
    if (!(size & part))
        return done;
    small_swap(a + done, b + done, part);
    return done + part;
}

INLINE size_t copy_rest(const unsigned char *restrict from,
                        unsigned char *restrict to, size_t done, size_t size,
                        size_t part)
{
    if (!(size & part))
        return done;
    small_copy(from + done, to + done, part);
    return done + part;
}

/* Exchanges two rows of any size in blocks, then in ever smaller parts. */
INLINE void plain_swap_row(unsigned char *restrict a, unsigned char *restrict b,
                           size_t size)
{
    size_t done = 0;

    for (; done + PLAIN_BLOCK <= size; done += PLAIN_BLOCK)
        small_swap_16(a + done, b + done);
    done = swap_rest(a, b, done, size, 8);
    done = swap_rest(a, b, done, size, 4);
    done = swap_rest(a, b, done, size, 2);
    swap_rest(a, b, done, size, 1);
}

INLINE void plain_copy_row(const unsigned char *restrict from,
                           unsigned char *restrict to, size_t size)
{
    size_t done = 0;

    if (size >= PLAIN_LONG_ROW) {
        memcpy(to, from, size);
        return;
    }
    for (; done + PLAIN_BLOCK <= size; done += PLAIN_BLOCK)
        small_copy_16(from + done, to + done);
    done = copy_rest(from, to, done, size, 8);
    done = copy_rest(from, to, done, size, 4);
    done = copy_rest(from, to, done, size, 2);
    copy_rest(from, to, done, size, 1);
}

/* Single bytes, eight at a time where they are reversed: not every instruction
 * set has a vector form of a byte loop, but each has a byte swap. */
INLINE void swap_bytes(unsigned char *a, unsigned char *b,
                       const struct strided_rows r)
{
    ptrdiff_t count = (ptrdiff_t)r.count, done = 0;

    if (r.a_step == 1 && r.b_step == -1) {
        for (; done + 8 <= count; done += 8) {
            uint64_t x = small_load(a + done, 8);

            small_store(a + done,
                        __builtin_bswap64(small_load(b - done - 7, 8)), 8);
            small_store(b - done - 7, __builtin_bswap64(x), 8);
        }
    }
    for (ptrdiff_t i = done; i < count; i++)
        small_swap(a + i * r.a_step, b + i * r.b_step, 1);
}

INLINE void copy_bytes(const unsigned char *from, unsigned char *to,
                       const struct strided_rows r)
{
    ptrdiff_t count = (ptrdiff_t)r.count, done = 0;

    if (r.a_step == 1 && r.b_step == -1)
        for (; done + 8 <= count; done += 8)
            small_store(to + done,
                        __builtin_bswap64(small_load(from - done - 7, 8)), 8);
    for (ptrdiff_t i = done; i < count; i++)
        to[i * r.a_step] = from[i * r.b_step];
}

static inline void plain_swap_plane(unsigned char *a, unsigned char *b,
                                    const struct strided_rows *r)
{
    switch (r->size) {
    case 1:
        swap_bytes(a, b, *r);
        return;
    case 2:
        swap_sized(a, b, *r, 2);
        return;
    case 4:
        swap_sized(a, b, *r, 4);
        return;
    case 8:
        swap_sized(a, b, *r, 8);
        return;
    case 16:
        swap_sized(a, b, *r, 16);
        return;
    default:
        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            plain_swap_row(a + i * r->a_step, b + i * r->b_step, r->size);
    }
}

static inline void plain_copy_plane(const unsigned char *from,
                                    unsigned char *to,
                                    const struct strided_rows *r)
{
    switch (r->size) {
    case 1:
        copy_bytes(from, to, *r);
        return;
    case 2:
        copy_sized(from, to, *r, 2);
        return;
    case 4:
        copy_sized(from, to, *r, 4);
        return;
    case 8:
        copy_sized(from, to, *r, 8);
        return;
    case 16:
        copy_sized(from, to, *r, 16);
        return;
    default:
        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            plain_copy_row(from + i * r->b_step, to + i * r->a_step, r->size);
    }
}

/* As row_kernels.swap(). */
static inline void plain_swap_rows(unsigned char *data,
                                   const struct strided_rows *rows)
{
    for (size_t plane = 0; plane < rows->batch;
         plane++, data += rows->batch_step)
        plain_swap_plane(data + rows->a, data + rows->b, rows);
}

/* As row_kernels.copy(). */
static inline void plain_copy_rows(const unsigned char *from, unsigned char *to,
                                   const struct strided_rows *rows)
{
    for (size_t plane = 0; plane < rows->batch; plane++) {
        plain_copy_plane(from + rows->b, to + rows->a, rows);
        from += rows->batch_step;
        to += rows->batch_step;
    }
}
