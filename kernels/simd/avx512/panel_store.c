/* Stores panels of columns from the scratch memory that panel_load.c has
 * filled, each column reversed up to its length. */
#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/panel_offsets.h"
#include "kernels/simd/avx512/panel_tile.h"
#include "kernels/simd/avx512/reverse_index.h"

/* Loads the result of a tile's columns as groups of rows: the lanes are
 * transposed, the elements inside them not yet. */
INLINE void load_groups(const struct panel_source *s,
                        const struct panel_offsets *p, __m512i *v, size_t size)
{
    const size_t n = LANE / size;

    for (size_t k = 0; k < n; k++) {
        __m512i w[LANES];

        UNROLL for (size_t l = 0; l < LANES; l++) w[l] =
            panel_offsets_load(p, l * n + k, s);
        transpose_lanes(w, 1);
        UNROLL for (size_t l = 0; l < LANES; l++) v[l * n + k] = w[l];
    }
}

/* Loads the result of a tile's columns as rows. In registers it is best to load
 * one column after the other. */
INLINE void load_columns(const struct panel_source *s,
                         const struct panel_offsets *p, __m512i *v, size_t size)
{
    const size_t n = LANE / size;

    UNROLL for (size_t i = 0; i < LANES * n; i++) v[i] =
        panel_offsets_load(p, i, s);
    UNROLL4 for (size_t l = 0; l < LANES; l++)
        transpose_in_lanes(v + l * n, size);
    UNROLL4 for (size_t k = 0; k < n; k++) transpose_lanes(v + k, n);
}

/* Rows of the result, the first `rows` of which exist. */
struct row_target {
    unsigned char *to;
    size_t step;
    ptrdiff_t rows;
    bool nontemporal;
};

INLINE void store_rows(const __m512i *v, struct row_target t, size_t count)
{
    if (t.nontemporal) {
        UNROLL for (size_t i = 0; i < count; i++, t.to += t.step)
        {
            if ((ptrdiff_t)i < t.rows)
                _mm512_stream_si512((void *)t.to, v[i]);
        }
        return;
    }
    UNROLL for (size_t i = 0; i < count; i++, t.to += t.step)
    {
        if ((ptrdiff_t)i < t.rows)
            vector_store(t.to, v[i]);
    }
}

INLINE struct row_target target_at(unsigned char *to,
                                   const struct panel_block *b, size_t column,
                                   size_t row, size_t size)
{
    return (struct row_target){
        .to = to + row * b->step + column * size,
        .step = b->step,
        .rows = rows_from(b, row),
        .nontemporal = b->nontemporal && column * size % LINE == 0,
    };
}

INLINE struct panel_source source_at(const unsigned char *scratch,
                                     const struct panel_block *b, size_t column,
                                     size_t size)
{
    return (struct panel_source){.scratch = scratch + column * LINE,
                                 .block = b->columns * LINE,
                                 .reverse = reverse_index_of(size).last};
}

INLINE void store_tiles(const unsigned char *scratch, unsigned char *to,
                        const struct panel_block *b, size_t size)
{
    const size_t n = LINE / size;
    struct panel_offsets offsets;

    for (size_t i = 0; i < b->columns; i += n) {
        size_t c = tile_at(i, b, size);
        const struct panel_source source = source_at(scratch, b, c, size);
        __m512i v[LINE];

        panel_offsets_find(&offsets, c, b, size);
        load_columns(&source, &offsets, v, size);
        store_rows(v, target_at(to, b, c, 0, size), n);
    }
}

/* As load_tiles_by_group(). */
INLINE void store_tiles_by_group(const unsigned char *scratch,
                                 unsigned char *to, const struct panel_block *b,
                                 size_t size)
{
    const size_t n = LINE / size, group = LANE / size;
    __m512i v[PANEL_BLOCK_ROW_BYTES / LINE][LINE];
    struct panel_offsets offsets;

    for (size_t i = 0; i < b->columns; i += n) {
        size_t c = tile_at(i, b, size);
        const struct panel_source source = source_at(scratch, b, c, size);

        panel_offsets_find(&offsets, c, b, size);
        load_groups(&source, &offsets, v[i / n], size);
    }
    for (size_t g = 0; g < n; g += group)
        for (size_t i = 0; i < b->columns; i += n) {
            size_t c = tile_at(i, b, size);

            transpose_in_lanes(v[i / n] + g, size);
            store_rows(v[i / n] + g, target_at(to, b, c, g, size), group);
        }
}

INLINE void store_block(const unsigned char *scratch, unsigned char *to,
                        const struct panel_block *block, size_t size)
{
    struct panel_block b = *block; /* the data cannot alias it */

    b.nontemporal = b.nontemporal && ((uintptr_t)to | b.step) % LINE == 0;
    to += b.row * b.step;
    scratch += b.row * b.columns * size;
    if (size < 4)
        store_tiles_by_group(scratch, to, &b, size);
    else
        store_tiles(scratch, to, &b, size);
}

void avx512_panel_store(const unsigned char *scratch, unsigned char *to,
                        const struct panel_block *block)
{
    switch (block->size) {
    case 1:
        store_block(scratch, to, block, 1);
        break;
    case 2:
        store_block(scratch, to, block, 2);
        break;
    case 4:
        store_block(scratch, to, block, 4);
        break;
    default:
        store_block(scratch, to, block, 8);
    }
}
