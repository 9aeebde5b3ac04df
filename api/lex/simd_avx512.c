/* JSON with AVX-512: a block is one register, rows are stored 16 at a time. */
#include "api/lex/simd_avx512.h"

#include "api/lex/block_walk.h"
#include "api/lex/brackets.h"
#include "api/lex/simd_isa.h"

/* The indexes of the lowest 16 set bits, in ascending order. */
LEX_INLINE __m512i bit_indexes(uint64_t mask)
{
    __m512i packed =
        _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(byte_indexes));

    return _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
}

/* Stores 16 rows; entries past the real ones are scratch. */
LEX_INLINE void store_16_rows(struct span *rows, __m512i starts, __m512i ends)
{
    __m512i lens = _mm512_sub_epi32(ends, starts);
    __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                    22, 7, 23);
    __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));

    _mm512_storeu_si512(rows, _mm512_permutex2var_epi32(starts, low, lens));
    _mm512_storeu_si512(rows + 8,
                        _mm512_permutex2var_epi32(starts, high, lens));
}

/* The mask without its lowest 16 bits. */
LEX_INLINE uint64_t clear_lowest_16(uint64_t mask, unsigned count)
{
    return count > 16 ? mask & ~_bzhi_u64(UINT64_MAX, block_nth_bit(mask, 16))
                      : 0;
}

LEX_INLINE void store_rows(struct one_token_rows *out, uint64_t starts,
                           uint64_t commas, uint32_t base)
{
    unsigned start_count = (unsigned)__builtin_popcountll(starts);
    unsigned comma_count = (unsigned)__builtin_popcountll(commas);
    uint32_t open = out->open, has_open = out->has_open;
    __m512i bases = _mm512_set1_epi32((int)base);
    struct span *rows = out->rows;

    if (starts)
        out->open = base + 63 - (uint32_t)__builtin_clzll(starts);
    out->has_open += start_count - comma_count;
    out->rows += comma_count;
    while (commas) {
        __m512i first = _mm512_add_epi32(bit_indexes(starts), bases);
        __m512i ends = _mm512_add_epi32(bit_indexes(commas), bases);

        /* A number left open by the block before comes first; the 16th start
         * then becomes the first one of the next round. */
        first =
            _mm512_mask_expand_epi32(_mm512_set1_epi32((int)open),
                                     (__mmask16)(0xFFFFu << has_open), first);
        store_16_rows(rows, first, ends);
        rows += 16;
        if (comma_count <= 16)
            break;
        if (has_open)
            open = base + block_nth_bit(starts, 15);
        starts = clear_lowest_16(starts, start_count);
        commas = clear_lowest_16(commas, comma_count);
        start_count -= 16;
        comma_count -= 16;
    }
}

static const char *integers(struct token_stream *s, const char *text)
{
    return block_walk_numbers(s, text, false, classify_integers, store_rows);
}

static const char *floats(struct token_stream *s, const char *text)
{
    return block_walk_numbers(s, text, true, classify_floats, store_rows);
}

LEX_INLINE uint64_t classify_validated(struct block_walk *w,
                                       struct block_tokens *found)
{
    __m512i block = _mm512_loadu_si512(w->at);

    /* In a valid list, bytes up to ' ' are white space. */
    return block_classify_validated(
        w, found, equal(block, ','),
        _mm512_cmple_epu8_mask(block, _mm512_set1_epi8(' ')));
}

static const char *validated(struct token_stream *s, const char *text)
{
    return block_walk_validated(s, text, classify_validated, store_rows);
}

LEX_INLINE void list_masks(const char *text, struct brackets_masks *m)
{
    __m512i block = _mm512_loadu_si512(text);

    m->open = equal(block, '[');
    m->close = equal(block, ']');
    m->quote = equal(block, '"');
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    return brackets_skip(text, end, depth, list_masks);
}

static char *flatten(const char *from, const char *end, char *out)
{
    for (; from < end; from += JSON_SIMD_BLOCK) {
        __m512i block = _mm512_loadu_si512(from);
        uint64_t keep =
            ~(spaces(block) | equal(block, '[') | equal(block, ']'));

        if (end - from < JSON_SIMD_BLOCK)
            keep = _bzhi_u64(keep, (unsigned)(end - from));
        if (keep != UINT64_MAX)
            block = _mm512_maskz_compress_epi8(keep, block);
        _mm512_storeu_si512(out, block);
        out += __builtin_popcountll(keep);
    }
    return out;
}

const struct json_simd json_simd_avx512 = {"avx512",
                                           integers,
                                           floats,
                                           json_simd_avx512_measure_integers,
                                           json_simd_avx512_measure_floats,
                                           validated,
                                           lists,
                                           flatten};
