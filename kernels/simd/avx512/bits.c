#include "kernels/simd/avx512/bit_maps.h"

#include "kernels/simd/avx512/avx512.h"

/* Fewer bytes than a vector. A reverse index then starts inside the vector. */
INLINE void copy_rest(const unsigned char *from, unsigned char *to,
                      size_t bytes, struct bit_maps m, bool shifted)
{
    __mmask64 mask = vector_mask(bytes);
    __m512i x = _mm512_maskz_loadu_epi8(mask, from);
    __m512i y = shifted ? _mm512_maskz_loadu_epi8(mask, from + 1) : x;

    _mm512_mask_storeu_epi8(to, mask, bit_maps_apply(x, y, &m, shifted));
}

/* Callers pass `shifted` as a constant. Only then is one byte more read. */
INLINE void copy(const unsigned char *from, unsigned char *to, size_t bytes,
                 const struct bit_transfer *t, bool shifted)
{
    struct bit_maps m = bit_maps_of(t);
    bool reverse = t->reverse;
    ptrdiff_t step = reverse ? -WIDTH : WIDTH;

    if (reverse)
        from += bytes;
    for (; bytes >= WIDTH; bytes -= WIDTH, from += step, to += WIDTH) {
        const unsigned char *at = reverse ? from - WIDTH : from;
        __m512i x = vector_load(at);
        __m512i y = shifted ? vector_load(at + 1) : x;

        vector_store(to, bit_maps_apply(x, y, &m, shifted));
    }
    if (bytes == 0)
        return;
    if (reverse) {
        m.index =
            _mm512_sub_epi8(m.index, _mm512_set1_epi8((char)(WIDTH - bytes)));
        from -= bytes;
    }
    copy_rest(from, to, bytes, m, shifted);
}

void avx512_bits_copy(const unsigned char *from, unsigned char *to,
                      size_t bytes, const struct bit_transfer *t)
{
    if (t->shift)
        copy(from, to, bytes, t, true);
    else
        copy(from, to, bytes, t, false);
}
