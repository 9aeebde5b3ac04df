/* Where the entries are that belong into a block of rows: those of a column
 * that move are in two lines of the scratch, in reverse order. Private to
 * move_avx512_columns.c. */
#pragma once

#include "kernels/simd/avx512/lanes.h"
#include "kernels/simd/avx512/reverse_index.h"
#include "kernels/simd/kernel_table.h"

/* For each column of a tile; bytes after its first column's line. */
struct places {
    int64_t lines[LINE];   /* the two with what moves, a block apart */
    int64_t still[LINE];   /* the one with what does not, if there is any */
    uint64_t turns[LINE];  /* eight bytes: to be added to an order of bytes */
    __mmask64 moved[LINE]; /* the bytes that move */
};

INLINE __m512i all_of(size_t value)
{
    return _mm512_set1_epi64((long long)value);
}

/* Columns i .. i + 7. Lines start every LINE / size rows; the line `last` has
 * the mirror of row 0 in a column of whole lines. */
INLINE void find_eight(struct places *p, size_t i, const int64_t *lens,
                       const struct move_block *b, size_t size)
{
    const __m512i n = all_of(LINE / size), row = all_of(b->row);
    const __m512i none = _mm512_setzero_si512();
    const unsigned shift = (unsigned)__builtin_ctzll(size);
    __m512i still = _mm512_add_epi64(
        all_of(i * LINE),
        _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448));
    __m512i len = _mm512_loadu_si512(lens), left = _mm512_sub_epi64(len, row);
    __mmask8 some = _mm512_cmpgt_epi64_mask(left, none);
    __mmask8 all = _mm512_cmpge_epi64_mask(left, n);
    __m512i last =
        _mm512_and_si512(_mm512_sub_epi64(len, n), _mm512_sub_epi64(none, n));
    __m512i lines = _mm512_mask_add_epi64(
        still, some, still,
        _mm512_mul_epi32(_mm512_sub_epi64(last, all_of(2 * b->row)),
                         all_of(b->columns * size)));

    _mm512_storeu_si512(p->lines + i, lines);
    _mm512_storeu_si512(p->still + i, _mm512_mask_mov_epi64(still, all, lines));
    _mm512_storeu_si512(
        p->turns + i,
        _mm512_shuffle_epi8(
            _mm512_and_si512(_mm512_slli_epi64(len, shift), all_of(LINE - 1)),
            _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0)));
    _mm512_storeu_si512(p->moved + i,
                        _mm512_maskz_xor_epi64(
                            some, all_of(SIZE_MAX),
                            _mm512_sllv_epi64(all_of(SIZE_MAX),
                                              _mm512_slli_epi64(left, shift))));
}

/* Of the tile whose first column is `first`. */
INLINE void find_places(struct places *p, size_t first,
                        const struct move_block *b, size_t size)
{
    for (size_t i = 0; i < LINE / size; i += 8)
        find_eight(p, i, b->lens + first + i, b, size);
}

/* The entries of column i. `block`: bytes from one line of a column to the
 * next; `mirror`: the reverse order of a line's entries. */
INLINE __m512i join(const unsigned char *scratch, const struct places *p,
                    size_t i, size_t block, __m512i mirror)
{
    const unsigned char *line = scratch + p->lines[i];
    __m512i order =
        _mm512_add_epi8(mirror, _mm512_set1_epi64((long long)p->turns[i]));

    __builtin_prefetch(line - 2 * block);
    return _mm512_mask_blend_epi8(
        p->moved[i], load_line(scratch + p->still[i]),
        _mm512_permutex2var_epi8(load_line(line), order,
                                 load_line(line + block)));
}
