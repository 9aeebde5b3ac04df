#include "kernels/move_avx512.h"
#include "kernels/move_avx512_lanes.h"

/* A tile of rows, last one first, becomes columns of the scratch. */
INLINE void take_tile(const unsigned char *last, unsigned char *to,
                      const struct move_block *b, size_t size)
{
    const size_t n = LANE / size, groups = groups_of(size);
    __m512i v[LANE];

    UNROLL for (size_t i = 0; i < n * groups; i++) v[i] =
        load_line(last - i * b->step);
    UNROLL for (size_t g = 0; g < groups; g++) turn_lanes(v + g * n, size);
    UNROLL for (size_t i = 0; i < n; i++)
        store_columns(to + i * b->pitch, n * b->pitch, v + i, n, groups);
}

/* How many entries from row `row` on are reversed, of the columns of a line;
 * as elements of their size, where large numbers are all the same. */
INLINE __m512i find_left(const int32_t *lens, size_t row, size_t size)
{
    __m512i t = _mm512_set1_epi32((int)row), left;

    if (size == 8)
        return _mm512_cvtepi32_epi64(_mm256_sub_epi32(
            _mm256_loadu_si256((const void *)lens), _mm512_castsi512_si256(t)));
    left = _mm512_sub_epi32(_mm512_loadu_si512((const void *)lens), t);
    if (size == 4)
        return left;
    if (size == 2)
        return _mm512_inserti64x4(
            _mm512_castsi256_si512(_mm512_cvtsepi32_epi16(left)),
            _mm512_cvtsepi32_epi16(_mm512_sub_epi32(
                _mm512_loadu_si512((const void *)(lens + 16)), t)),
            1);
    left = _mm512_castsi128_si512(_mm512_cvtsepi32_epi8(left));
#define PART(i)                                                                \
    _mm512_inserti32x4(                                                        \
        left,                                                                  \
        _mm512_cvtsepi32_epi8(_mm512_sub_epi32(                                \
            _mm512_loadu_si512((const void *)(lens + (size_t)16 * (i))), t)),  \
        i)
    left = PART(1);
    left = PART(2);
    return PART(3);
#undef PART
}

/* `moved` where the element of `left` is larger than i. */
INLINE __m512i choose(__m512i left, size_t i, __m512i still, __m512i moved,
                      size_t size)
{
    if (size == 1)
        return _mm512_mask_blend_epi8(
            _mm512_cmpgt_epi8_mask(left, _mm512_set1_epi8((char)i)), still,
            moved);
    if (size == 2)
        return _mm512_mask_blend_epi16(
            _mm512_cmpgt_epi16_mask(left, _mm512_set1_epi16((short)i)), still,
            moved);
    if (size == 4)
        return _mm512_mask_blend_epi32(
            _mm512_cmpgt_epi32_mask(left, _mm512_set1_epi32((int)i)), still,
            moved);
    return _mm512_mask_blend_epi64(
        _mm512_cmpgt_epi64_mask(left, _mm512_set1_epi64((long long)i)), still,
        moved);
}

/* Puts a tile of the result together: what is moved from the scratch, where
 * column i lies `at` bytes after moved[i], what is not from its own place. */
INLINE void put_tile(const unsigned char *scratch, const uint32_t *moved,
                     const unsigned char *from, unsigned char *to,
                     const struct move_block *b, __m512i left, size_t size)
{
    const size_t n = LANE / size, groups = groups_of(size);
    bool stream = b->stream && ((uintptr_t)to | b->step) % LINE == 0;
    __m512i v[LANE];

    UNROLL for (size_t i = 0; i < n; i++)
        load_columns(scratch, moved + i, v + i, n, groups);
    UNROLL for (size_t g = 0; g < groups; g++) turn_lanes(v + g * n, size);
    UNROLL for (size_t i = 0; i < n * groups; i++) v[i] =
        choose(left, i, load_line(from + i * b->step), v[i], size);
    if (stream) {
        UNROLL for (size_t i = 0; i < n * groups; i++)
            _mm512_stream_si512((void *)(to + i * b->step), v[i]);
        return;
    }
    UNROLL for (size_t i = 0; i < n * groups; i++)
        _mm512_storeu_si512((void *)(to + i * b->step), v[i]);
}

/* The last tile of a side ends where that does, over the one before. */
INLINE size_t tile_at(size_t i, size_t columns, size_t size)
{
    size_t last = columns - LINE / size;

    return i < last ? i : last;
}

INLINE void take_sized(const unsigned char *from, unsigned char *scratch,
                       const struct move_block *block, size_t size)
{
    const struct move_block m = *block, *b = &m; /* no alias of the data */
    const size_t rows = LANE / size * groups_of(size);

    for (size_t row = b->row; row < b->row + MOVE_BLOCK_ROWS; row += rows)
        for (size_t i = 0; i < b->columns; i += LINE / size) {
            size_t c = tile_at(i, b->columns, size);

            take_tile(from + (row + rows - 1) * b->step + c * size,
                      scratch + c * b->pitch + (b->rows - rows - row) * size, b,
                      size);
        }
}

INLINE void put_sized(const unsigned char *scratch, const unsigned char *from,
                      unsigned char *to, const struct move_block *block,
                      size_t size)
{
    const struct move_block m = *block, *b = &m; /* no alias of the data */
    const size_t rows = LANE / size * groups_of(size);

    for (size_t row = b->row; row < b->row + MOVE_BLOCK_ROWS; row += rows)
        for (size_t i = 0; i < b->columns; i += LINE / size) {
            size_t c = tile_at(i, b->columns, size);
            size_t at = row * b->step + c * size;

            put_tile(scratch + row * size, b->moved + c, from + at, to + at, b,
                     find_left(b->lens + c, row, size), size);
        }
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

void move_avx512_put(const unsigned char *scratch, const unsigned char *from,
                     unsigned char *to, const struct move_block *block)
{
#define DO(size) put_sized(scratch, from, to, block, size)
    IN_EACH_SIZE(block->size, DO)
#undef DO
}
