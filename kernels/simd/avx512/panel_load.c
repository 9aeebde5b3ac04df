/* Loads panels of columns into a scratch memory that holds 64 bytes of a column
 * at a time. A tile is transposed in two steps: groups of rows inside each
 * lane, then the lanes of the groups. */
#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/panel_prefetch.h"
#include "kernels/simd/avx512/panel_tile.h"

/* Loads a group of rows and transposes inside the lanes. Only the first `rows`
 * exist, which may be none. */
INLINE void load_rows(const unsigned char *from, size_t step, ptrdiff_t rows,
                      __m512i *v, size_t size)
{
    UNROLL for (size_t i = 0; i < LANE / size; i++, from += step)
    {
        v[i] = _mm512_setzero_si512();
        if ((ptrdiff_t)i < rows)
            v[i] = vector_load(from);
    }
    transpose_in_lanes(v, size);
}

/* Stores the groups of a tile as 64 bytes of each column. */
INLINE void store_columns(const __m512i *v, unsigned char *scratch, size_t size)
{
    const size_t n = LANE / size;

    UNROLL4 for (size_t k = 0; k < n; k++)
    {
        __m512i w[] = {v[k], v[n + k], v[2 * n + k], v[3 * n + k]};

        transpose_lanes(w, 1);
        UNROLL for (size_t l = 0; l < LANES; l++)
            vector_store(scratch + (l * n + k) * LINE, w[l]);
    }
}

INLINE void load_tiles(const unsigned char *from, unsigned char *scratch,
                       const struct panel_block *b,
                       struct panel_prefetch *prefetch, size_t size)
{
    const size_t n = LINE / size, group = LANE / size;

    for (size_t i = 0; i < b->columns; i += n) {
        size_t c = tile_at(i, b, size);
        __m512i v[LINE];

        panel_prefetch_lines(prefetch, n);
        UNROLL4 for (size_t g = 0; g < n; g += group)
            load_rows(from + g * b->step + c * size, b->step, rows_from(b, g),
                      v + g, size);
        store_columns(v, scratch + c * LINE, size);
    }
}

/* A tile of elements of 1 or 2 bytes has more rows than memory serves well in
 * alternation: one group of rows at a time, in all tiles. */
INLINE void load_tiles_by_group(const unsigned char *from,
                                unsigned char *scratch,
                                const struct panel_block *b,
                                struct panel_prefetch *prefetch, size_t size)
{
    const size_t n = LINE / size, group = LANE / size;
    __m512i v[PANEL_BLOCK_ROW_BYTES / LINE][LINE];

    for (size_t g = 0; g < n; g += group)
        for (size_t i = 0; i < b->columns; i += n) {
            size_t c = tile_at(i, b, size);

            panel_prefetch_lines(prefetch, group);
            load_rows(from + g * b->step + c * size, b->step, rows_from(b, g),
                      v[i / n] + g, size);
        }
    for (size_t i = 0; i < b->columns; i += n)
        store_columns(v[i / n], scratch + tile_at(i, b, size) * LINE, size);
}

INLINE void load_block(const unsigned char *from, unsigned char *scratch,
                       const struct panel_block *block, size_t size)
{
    const struct panel_block b = *block; /* the data cannot alias it */
    struct panel_prefetch prefetch = panel_prefetch_start(from, &b, size);

    from += b.row * b.step;
    scratch += b.row * b.columns * size;
    if (size < 4)
        load_tiles_by_group(from, scratch, &b, &prefetch, size);
    else
        load_tiles(from, scratch, &b, &prefetch, size);
}

void avx512_panel_load(const unsigned char *from, unsigned char *scratch,
                       const struct panel_block *block)
{
    switch (block->size) {
    case 1:
        load_block(from, scratch, block, 1);
        break;
    case 2:
        load_block(from, scratch, block, 2);
        break;
    case 4:
        load_block(from, scratch, block, 4);
        break;
    default:
        load_block(from, scratch, block, 8);
    }
}
