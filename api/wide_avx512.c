#include <immintrin.h>

#include "api/wide_level.h"
#include "api/wide_lists.h"
#include "api/wide_walk.h"

WIDE_INLINE uint64_t equal(__m512i block, char byte)
{
    return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte));
}

WIDE_INLINE uint64_t spaces(__m512i block)
{
    return equal(block, ' ') | equal(block, '\n') | equal(block, '\r') |
           equal(block, '\t');
}

WIDE_INLINE uint64_t basics(__m512i block, struct wide_masks *m)
{
    m->digit = _mm512_cmplt_epu8_mask(
        _mm512_sub_epi8(block, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    m->zero = equal(block, '0');
    m->minus = equal(block, '-');
    m->comma = equal(block, ',');
    return ~(m->digit | m->minus | m->comma);
}

WIDE_INLINE void integer_masks(const char *text, struct wide_masks *m)
{
    __m512i block = _mm512_loadu_si512(text);

    if (basics(block, m))
        m->space = spaces(block);
}

WIDE_INLINE void float_masks(const char *text, struct wide_masks *m)
{
    __m512i block = _mm512_loadu_si512(text);
    uint64_t others = basics(block, m);

    m->point = equal(block, '.');
    if (others == m->point)
        return;
    m->space = equal(block, ' ');
    if (others == (m->point | m->space))
        return;
    m->space = spaces(block);
    m->exponent = equal(_mm512_or_si512(block, _mm512_set1_epi8(0x20)), 'e');
}

/* The places of the lowest 16 bits that are set, in order. */
WIDE_INLINE __m512i places(uint64_t mask)
{
    static const char counted[WIDE_BLOCK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    __m512i packed =
        _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(counted));

    return _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
}

/* 16 rows, whether they are there or not. */
WIDE_INLINE void put_rows(struct stretch *rows, __m512i starts, __m512i ends)
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
    struct stretch *rows = singles->rows;

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
    return wide_numbers(s, text, false, integer_masks, store_singles);
}

static const char *floats(struct text_scan *s, const char *text)
{
    return wide_numbers(s, text, true, float_masks, store_singles);
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
    for (; from < end; from += WIDE_BLOCK) {
        __m512i block = _mm512_loadu_si512(from);
        uint64_t keep =
            ~(spaces(block) | equal(block, '[') | equal(block, ']'));

        if (end - from < WIDE_BLOCK)
            keep = _bzhi_u64(keep, (unsigned)(end - from));
        if (keep != UINT64_MAX)
            block = _mm512_maskz_compress_epi8(keep, block);
        _mm512_storeu_si512(out, block);
        out += __builtin_popcountll(keep);
    }
    return out;
}

const struct wide wide_avx512 = {"avx512", integers, floats, lists, flatten};
