#include "api/lex/simd_avx512.h"
#include "api/lex/brackets.h"
#include "api/lex/simd_isa.h"

/* The places of the lowest 16 bits that are set, in order. */
WIDE_INLINE __m512i places(uint64_t mask)
{
    __m512i packed =
        _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(counted));

    return _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
}

/* 16 rows, whether they are there or not. */
WIDE_INLINE void put_rows(struct span *rows, __m512i starts, __m512i ends)
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
WIDE_INLINE uint64_t drop(uint64_t mask, unsigned count)
{
    return count > 16 ? mask & ~_bzhi_u64(UINT64_MAX, wide_nth(mask, 16)) : 0;
}

WIDE_INLINE void store_singles(struct wide_singles *singles, uint64_t starts,
                               uint64_t commas, uint32_t base)
{
    unsigned start_count = (unsigned)__builtin_popcountll(starts);
    unsigned comma_count = (unsigned)__builtin_popcountll(commas);
    uint32_t open = singles->open, has_open = singles->has_open;
    __m512i bases = _mm512_set1_epi32((int)base);
    struct span *rows = singles->rows;

    if (starts)
        singles->open = base + 63 - (uint32_t)__builtin_clzll(starts);
    singles->has_open += start_count - comma_count;
    singles->rows += comma_count;
    while (commas) {
        __m512i first = _mm512_add_epi32(places(starts), bases);
        __m512i ends = _mm512_add_epi32(places(commas), bases);

        /* The number at hand comes first. The 16th start is then the next
         * round's first. */
        first =
            _mm512_mask_expand_epi32(_mm512_set1_epi32((int)open),
                                     (__mmask16)(0xFFFFu << has_open), first);
        put_rows(rows, first, ends);
        rows += 16;
        if (comma_count <= 16)
            break;
        if (has_open)
            open = base + wide_nth(starts, 15);
        starts = drop(starts, start_count);
        commas = drop(commas, comma_count);
        start_count -= 16;
        comma_count -= 16;
    }
}

static const char *integers(struct text_scan *s, const char *text)
{
    return wide_numbers(s, text, false, look_integers, store_singles);
}

static const char *floats(struct text_scan *s, const char *text)
{
    return wide_numbers(s, text, true, look_floats, store_singles);
}

WIDE_INLINE uint64_t look_known(struct wide_walk *w, struct wide_found *found)
{
    __m512i block = _mm512_loadu_si512(w->at);

    /* What is right and not above a blank is white space. */
    return wide_look_known(
        w, found, equal(block, ','),
        _mm512_cmple_epu8_mask(block, _mm512_set1_epi8(' ')));
}

static const char *known(struct text_scan *s, const char *text)
{
    return wide_known(s, text, look_known, store_singles);
}

WIDE_INLINE void list_masks(const char *text, struct wide_list_masks *m)
{
    __m512i block = _mm512_loadu_si512(text);

    m->open = equal(block, '[');
    m->close = equal(block, ']');
    m->quote = equal(block, '"');
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    return wide_lists(text, end, depth, list_masks);
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

const struct json_simd wide_avx512 = {"avx512",
                                      integers,
                                      floats,
                                      wide_avx512_note_integers,
                                      wide_avx512_note_floats,
                                      known,
                                      lists,
                                      flatten};
