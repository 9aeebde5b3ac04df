#include "kernels/simd/avx512/bits.h"

#include "kernels/simd/avx512/avx512.h"

/* Fewer bytes than a vector: in reverse the order begins inside it. */
INLINE void map_rest(const unsigned char *from, unsigned char *to, size_t bytes,
                     bool reverse, struct maps m, bool shifted)
{
    char gap = (char)(reverse ? WIDTH - bytes : 0);
    __mmask64 mask = ~UINT64_C(0) >> (WIDTH - bytes);
    __m512i x = _mm512_maskz_loadu_epi8(mask, from);
    __m512i y = shifted ? _mm512_maskz_loadu_epi8(mask, from + 1) : x;

    m.order = _mm512_sub_epi8(m.order, _mm512_set1_epi8(gap));
    _mm512_mask_storeu_epi8(to, mask, map(x, y, &m, shifted));
}

/* Only where the bytes are shifted is one more looked at. */
INLINE void move(const unsigned char *from, unsigned char *to, size_t bytes,
                 const struct move_bits_way *way, bool shifted)
{
    struct maps m = maps_of(way);
    bool reverse = way->reverse;
    ptrdiff_t step = reverse ? -WIDTH : WIDTH;

    if (reverse)
        from += bytes;
    for (; bytes >= WIDTH; bytes -= WIDTH, from += step, to += WIDTH) {
        const unsigned char *at = reverse ? from - WIDTH : from;
        __m512i x = _mm512_loadu_si512(at);
        __m512i y = shifted ? _mm512_loadu_si512(at + 1) : x;

        _mm512_storeu_si512(to, map(x, y, &m, shifted));
    }
    if (bytes > 0)
        map_rest(reverse ? from - bytes : from, to, bytes, reverse, m, shifted);
}

void move_avx512_bits(const unsigned char *from, unsigned char *to,
                      size_t bytes, const struct move_bits_way *way)
{
    if (way->shift)
        move(from, to, bytes, way, true);
    else
        move(from, to, bytes, way, false);
}
