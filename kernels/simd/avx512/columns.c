/* Panels of columns by way of lines, 64 bytes of a column each. A tile has a
 * line in either direction. It is transposed in two steps: groups of rows in
 * each lane, and the lanes of the groups. */
#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/lanes.h"
#include "kernels/simd/avx512/offsets.h"
#include "kernels/simd/avx512/prefetch.h"

INLINE size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows of a block from the g-th on. */
INLINE ptrdiff_t rows_from(const struct move_block *b, size_t g)
{
    return (ptrdiff_t)(b->rows - b->row) - (ptrdiff_t)g;
}

/* The last tile of a side ends where that does, over the one before. */
INLINE size_t tile_at(size_t i, const struct move_block *b, size_t size)
{
    return least(i, b->columns - LINE / size);
}

/* A group of rows, the first `rows` of which there are; that may be none. */
INLINE void take_rows(const unsigned char *from, size_t step, ptrdiff_t rows,
                      __m512i *v, size_t size)
{
    UNROLL for (size_t i = 0; i < LANE / size; i++, from += step)
    {
        v[i] = _mm512_setzero_si512();
        if ((ptrdiff_t)i < rows)
            v[i] = load_line(from);
    }
    turn_lanes(v, size);
}

/* Lines of a tile's columns. */
INLINE void take_lines(const __m512i *v, unsigned char *scratch, size_t size)
{
    const size_t n = LANE / size;

    UNROLL4 for (size_t k = 0; k < n; k++)
    {
        __m512i w[] = {v[k], v[n + k], v[2 * n + k], v[3 * n + k]};

        cross_lanes(w, 1);
        UNROLL for (size_t l = 0; l < LANES; l++)
            store_line(scratch + (l * n + k) * LINE, w[l]);
    }
}

/* The lines of columns become groups of rows, in which columns are not yet in
 * their order. */
INLINE void cross_lines(const unsigned char *scratch, const struct places *p,
                        size_t block, __m512i *v, size_t size)
{
    const size_t n = LANE / size;
    const __m512i mirror = move_mirror_of(size).last;

    for (size_t k = 0; k < n; k++) {
        __m512i w[LANES];

        UNROLL for (size_t l = 0; l < LANES; l++) w[l] =
            join(scratch, p, l * n + k, block, mirror);
        cross_lanes(w, 1);
        UNROLL for (size_t l = 0; l < LANES; l++) v[l * n + k] = w[l];
    }
}

/* They become rows. In registers, one column is best taken after the other. */
INLINE void turn_lines(const unsigned char *scratch, const struct places *p,
                       size_t block, __m512i *v, size_t size)
{
    const size_t n = LANE / size;
    const __m512i mirror = move_mirror_of(size).last;

    UNROLL for (size_t i = 0; i < LANES * n; i++) v[i] =
        join(scratch, p, i, block, mirror);
    UNROLL4 for (size_t l = 0; l < LANES; l++) turn_lanes(v + l * n, size);
    UNROLL4 for (size_t k = 0; k < n; k++) cross_lanes(v + k, n);
}

/* The first `rows` of `count` rows that there are. */
INLINE void put_rows(const __m512i *v, unsigned char *to, size_t step,
                     ptrdiff_t rows, bool stream, size_t count)
{
    if (stream) {
        UNROLL for (size_t i = 0; i < count; i++, to += step)
        {
            if ((ptrdiff_t)i < rows)
                _mm512_stream_si512((void *)to, v[i]);
        }
        return;
    }
    UNROLL for (size_t i = 0; i < count; i++, to += step)
    {
        if ((ptrdiff_t)i < rows)
            store_line(to, v[i]);
    }
}

INLINE void take_tiles(const unsigned char *from, unsigned char *scratch,
                       const struct move_block *b, struct ahead *ahead,
                       size_t size)
{
    const size_t n = LINE / size, group = LANE / size;

    for (size_t i = 0; i < b->columns; i += n) {
        size_t c = tile_at(i, b, size);
        __m512i v[LINE];

        ask(ahead, n);
        UNROLL4 for (size_t g = 0; g < n; g += group)
            take_rows(from + g * b->step + c * size, b->step, rows_from(b, g),
                      v + g, size);
        take_lines(v, scratch + c * LINE, size);
    }
}

INLINE void put_tiles(const unsigned char *scratch, unsigned char *to,
                      const struct move_block *b, size_t size)
{
    const size_t n = LINE / size;
    struct places places;

    for (size_t i = 0; i < b->columns; i += n) {
        size_t c = tile_at(i, b, size);
        bool stream = b->stream && c * size % LINE == 0;
        __m512i v[LINE];

        find_places(&places, c, b, size);
        turn_lines(scratch + c * LINE, &places, b->columns * LINE, v, size);
        put_rows(v, to + c * size, b->step, rows_from(b, 0), stream, n);
    }
}

/* Of small elements a tile has more rows than memory likes to give and take in
 * turn: a group of them at a time in all tiles. */
INLINE void take_groups(const unsigned char *from, unsigned char *scratch,
                        const struct move_block *b, struct ahead *ahead,
                        size_t size)
{
    const size_t n = LINE / size, group = LANE / size;
    __m512i v[MOVE_BLOCK_WIDE / LINE][LINE];

    for (size_t g = 0; g < n; g += group)
        for (size_t i = 0; i < b->columns; i += n) {
            size_t c = tile_at(i, b, size);

            ask(ahead, group);
            take_rows(from + g * b->step + c * size, b->step, rows_from(b, g),
                      v[i / n] + g, size);
        }
    for (size_t i = 0; i < b->columns; i += n)
        take_lines(v[i / n], scratch + tile_at(i, b, size) * LINE, size);
}

INLINE void put_groups(const unsigned char *scratch, unsigned char *to,
                       const struct move_block *b, size_t size)
{
    const size_t n = LINE / size, group = LANE / size;
    __m512i v[MOVE_BLOCK_WIDE / LINE][LINE];
    struct places places;

    for (size_t i = 0; i < b->columns; i += n) {
        size_t c = tile_at(i, b, size);

        find_places(&places, c, b, size);
        cross_lines(scratch + c * LINE, &places, b->columns * LINE, v[i / n],
                    size);
    }
    for (size_t g = 0; g < n; g += group)
        for (size_t i = 0; i < b->columns; i += n) {
            size_t c = tile_at(i, b, size);
            bool stream = b->stream && c * size % LINE == 0;

            turn_lanes(v[i / n] + g, size);
            put_rows(v[i / n] + g, to + g * b->step + c * size, b->step,
                     rows_from(b, g), stream, group);
        }
}

INLINE void take_sized(const unsigned char *from, unsigned char *scratch,
                       const struct move_block *block, size_t size)
{
    const struct move_block b = *block; /* no alias of the data */
    struct ahead ahead = ahead_of(from, &b, size);

    from += b.row * b.step;
    scratch += b.row * b.columns * size;
    if (size < 4)
        take_groups(from, scratch, &b, &ahead, size);
    else
        take_tiles(from, scratch, &b, &ahead, size);
}

INLINE void put_sized(const unsigned char *scratch, unsigned char *to,
                      const struct move_block *block, size_t size)
{
    struct move_block b = *block; /* no alias of the data */

    b.stream = b.stream && ((uintptr_t)to | b.step) % LINE == 0;
    to += b.row * b.step;
    scratch += b.row * b.columns * size;
    if (size < 4)
        put_groups(scratch, to, &b, size);
    else
        put_tiles(scratch, to, &b, size);
}

#define IN_EACH_SIZE(size, DO)                                                 \
    switch (size) {                                                            \
    case 1:                                                                    \
        DO(1);                                                                 \
        break;                                                                 \
    case 2:                                                                    \
        DO(2);                                                                 \
        break;                                                                 \
    case 4:                                                                    \
        DO(4);                                                                 \
        break;                                                                 \
    default:                                                                   \
        DO(8);                                                                 \
    }

void move_avx512_take(const unsigned char *from, unsigned char *scratch,
                      const struct move_block *block)
{
#define DO(size) take_sized(from, scratch, block, size)
    IN_EACH_SIZE(block->size, DO)
#undef DO
}

void move_avx512_put(const unsigned char *scratch, unsigned char *to,
                     const struct move_block *block)
{
#define DO(size) put_sized(scratch, to, block, size)
    IN_EACH_SIZE(block->size, DO)
#undef DO
}
