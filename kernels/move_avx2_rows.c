#include <immintrin.h>
#include <string.h>

#include "kernels/move_avx2.h"
#include "kernels/move_unit.h"

#define INLINE MOVE_UNIT_INLINE

/* Rows of up to so many bytes are moved without a loop; copies from here on
 * are left to the C library, which knows string instructions. */
enum { SHORT_ROW = 128, LONG_COPY = 2048 };

INLINE __m256i load(const unsigned char *at)
{
    return _mm256_loadu_si256((const void *)at);
}

INLINE void store(unsigned char *at, __m256i value)
{
    _mm256_storeu_si256((void *)at, value);
}

INLINE void swap_block(unsigned char *a, unsigned char *b)
{
    __m256i x = load(a), y = load(b);

    store(a, y);
    store(b, x);
}

/* A row of 32 x blocks + 1 to 32 x blocks + 32 bytes; the last block overlaps
 * the one before, so it is taken first and put down last. Or, in blocks of 16,
 * a row of 16 to 31 bytes. */
INLINE void swap_row(unsigned char *a, unsigned char *b, size_t size,
                     size_t blocks)
{
    unsigned char *last_a = a + size - 32, *last_b = b + size - 32;
    __m256i x = load(last_a), y = load(last_b);

    for (size_t i = 0; i < blocks; i++)
        swap_block(a + i * 32, b + i * 32);
    store(last_a, y);
    store(last_b, x);
}

INLINE void swap_small_row(unsigned char *a, unsigned char *b, size_t size)
{
    struct move_unit_block first[2], last[2];

    memcpy(&first[0], a, 16);
    memcpy(&first[1], b, 16);
    memcpy(&last[0], a + size - 16, 16);
    memcpy(&last[1], b + size - 16, 16);
    memcpy(a, &first[1], 16);
    memcpy(b, &first[0], 16);
    memcpy(a + size - 16, &last[1], 16);
    memcpy(b + size - 16, &last[0], 16);
}

INLINE void copy_row(const unsigned char *from, unsigned char *to, size_t size,
                     size_t blocks)
{
    for (size_t i = 0; i < blocks; i++)
        store(to + i * 32, load(from + i * 32));
    store(to + size - 32, load(from + size - 32));
}

INLINE void copy_small_row(const unsigned char *from, unsigned char *to,
                           size_t size)
{
    move_unit_copy_block(from, to);
    move_unit_copy_block(from + size - 16, to + size - 16);
}

static void copy_long_row(const unsigned char *from, unsigned char *to,
                          size_t size)
{
    if (size < LONG_COPY)
        copy_row(from, to, size, (size - 1) / 32);
    else
        memcpy(to, from, size);
}

/* How rows of a size are moved: by so many blocks, or: */
enum { BLOCK = 100, SMALL, LONG };

INLINE size_t way_of(size_t size)
{
    if (size < 32)
        return size == 16 ? BLOCK : SMALL;
    return size > SHORT_ROW ? LONG : (size - 1) / 32;
}

INLINE void swap_one(unsigned char *a, unsigned char *b, size_t size,
                     size_t way)
{
    if (way == BLOCK)
        move_unit_swap_block(a, b);
    else if (way == SMALL)
        swap_small_row(a, b, size);
    else
        swap_row(a, b, size, way == LONG ? (size - 1) / 32 : way);
}

INLINE void copy_one(const unsigned char *from, unsigned char *to, size_t size,
                     size_t way)
{
    if (way == BLOCK)
        move_unit_copy_block(from, to);
    else if (way == SMALL)
        copy_small_row(from, to, size);
    else if (way == LONG)
        copy_long_row(from, to, size);
    else
        copy_row(from, to, size, way);
}

/* Calls ALL(way) with the way as a constant, so that no row has a loop. */
#define IN_EACH_WAY(size, ALL)                                                 \
    switch (way_of(size)) {                                                    \
    case BLOCK:                                                                \
        ALL(BLOCK);                                                            \
        break;                                                                 \
    case SMALL:                                                                \
        ALL(SMALL);                                                            \
        break;                                                                 \
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

INLINE void swap_all(unsigned char *data, const struct move_rows *r, size_t way)
{
    for (size_t plane = 0; plane < r->planes; plane++) {
        unsigned char *a = data + r->a + plane * r->plane_step;
        unsigned char *b = data + r->b + plane * r->plane_step;

        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            swap_one(a + i * r->a_step, b + i * r->b_step, r->size, way);
    }
}

INLINE void copy_all(const unsigned char *data, unsigned char *out,
                     const struct move_rows *r, size_t way)
{
    for (size_t plane = 0; plane < r->planes; plane++) {
        const unsigned char *from = data + r->b + plane * r->plane_step;
        unsigned char *to = out + r->a + plane * r->plane_step;

        for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count; i++)
            copy_one(from + i * r->b_step, to + i * r->a_step, r->size, way);
    }
}

INLINE void swap_each(unsigned char *data, const struct move_pair *pairs,
                      size_t count, size_t size, size_t way)
{
    for (size_t i = 0; i < count; i++)
        swap_one(data + pairs[i].a, data + pairs[i].b, size, way);
}

INLINE void copy_each(const unsigned char *from, unsigned char *to,
                      const struct move_pair *pairs, size_t count, size_t size,
                      size_t way)
{
    for (size_t i = 0; i < count; i++)
        copy_one(from + pairs[i].b, to + pairs[i].a, size, way);
}

void move_avx2_swap_rows(unsigned char *data, const struct move_rows *rows)
{
#define ALL(way) swap_all(data, rows, way)
    IN_EACH_WAY(rows->size, ALL)
#undef ALL
}

void move_avx2_copy_rows(const unsigned char *from, unsigned char *to,
                         const struct move_rows *rows)
{
#define ALL(way) copy_all(from, to, rows, way)
    IN_EACH_WAY(rows->size, ALL)
#undef ALL
}

void move_avx2_swap_pairs(unsigned char *data, const struct move_pair *pairs,
                          size_t count, size_t size)
{
#define ALL(way) swap_each(data, pairs, count, size, way)
    IN_EACH_WAY(size, ALL)
#undef ALL
}

void move_avx2_copy_pairs(const unsigned char *from, unsigned char *to,
                          const struct move_pair *pairs, size_t count,
                          size_t size)
{
#define ALL(way) copy_each(from, to, pairs, count, size, way)
    IN_EACH_WAY(size, ALL)
#undef ALL
}
