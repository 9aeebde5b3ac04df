/* Where in the scratch memory the entries of a block of the result are. The
 * entries of a column that move are in two adjacent blocks of the column, in
 * reverse order; those that stay are in the block's own. Private to
 * panel_store.c. */
#pragma once

#include "kernels/simd/avx512/panel_tile.h"
#include "kernels/simd/column_args.h"

/* For each column of a tile. Offsets are in bytes, from the scratch memory of
 * the tile's first column in the result's block. */
struct panel_offsets {
    int64_t moved[LINE];   /* of the first of the two blocks */
    int64_t kept[LINE];    /* of the block of entries that stay, if any do */
    uint64_t rotate[LINE]; /* eight equal bytes, added to a reverse index */
    __mmask64 mask[LINE];  /* the bytes that move */
};

/* The scratch memory of one tile. */
struct panel_source {
    const unsigned char *scratch;
    size_t block;    /* bytes from one block of a column to the next */
    __m512i reverse; /* index that reverses 64 bytes of entries */
};

INLINE __m512i splat(size_t value)
{
    return _mm512_set1_epi64((long long)value);
}

/* Columns i .. i + 7. A block holds LINE / size rows; `last` is the row where
 * the partner of row 0 would be if the length were a whole number of blocks. */
INLINE void find_eight(struct panel_offsets *p, size_t i, const int64_t *lens,
                       const struct panel_block *b, size_t size)
{
    const __m512i n = splat(LINE / size), row = splat(b->row);
    const __m512i none = _mm512_setzero_si512();
    const unsigned shift = (unsigned)__builtin_ctzll(size);
    __m512i kept = _mm512_add_epi64(
        splat(i * LINE),
        _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448));
    __m512i len = _mm512_loadu_si512(lens), left = _mm512_sub_epi64(len, row);
    __mmask8 some = _mm512_cmpgt_epi64_mask(left, none);
    __mmask8 all = _mm512_cmpge_epi64_mask(left, n);
    __m512i last =
        _mm512_and_si512(_mm512_sub_epi64(len, n), _mm512_sub_epi64(none, n));
    __m512i moved = _mm512_mask_add_epi64(
        kept, some, kept,
        _mm512_mul_epi32(_mm512_sub_epi64(last, splat(2 * b->row)),
                         splat(b->columns * size)));

    _mm512_storeu_si512(p->moved + i, moved);
    _mm512_storeu_si512(p->kept + i, _mm512_mask_mov_epi64(kept, all, moved));
    _mm512_storeu_si512(
        p->rotate + i,
        _mm512_shuffle_epi8(
            _mm512_and_si512(_mm512_slli_epi64(len, shift), splat(LINE - 1)),
            _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0)));
    _mm512_storeu_si512(p->mask + i,
                        _mm512_maskz_xor_epi64(
                            some, splat(SIZE_MAX),
                            _mm512_sllv_epi64(splat(SIZE_MAX),
                                              _mm512_slli_epi64(left, shift))));
}

/* For the tile whose first column is `first`. */
INLINE void panel_offsets_find(struct panel_offsets *p, size_t first,
                               const struct panel_block *b, size_t size)
{
    for (size_t i = 0; i < LINE / size; i += 8)
        find_eight(p, i, b->lens + first + i, b, size);
}

/* Loads the result's entries of column i of the tile. */
INLINE __m512i panel_offsets_load(const struct panel_offsets *p, size_t i,
                                  const struct panel_source *s)
{
    const unsigned char *moved = s->scratch + p->moved[i];
    __m512i index =
        _mm512_add_epi8(s->reverse, _mm512_set1_epi64((long long)p->rotate[i]));

    __builtin_prefetch(moved - 2 * s->block);
    return _mm512_mask_blend_epi8(
        p->mask[i], vector_load(s->scratch + p->kept[i]),
        _mm512_permutex2var_epi8(vector_load(moved), index,
                                 vector_load(moved + s->block)));
}
