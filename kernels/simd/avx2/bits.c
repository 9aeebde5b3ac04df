#include <immintrin.h>

#include "kernels/move/bits_span.h"
#include "kernels/simd/avx2/avx2.h"
#include "kernels/simd/generic/generic.h"
#include "kernels/simd/unit.h"

#define INLINE MOVE_UNIT_INLINE

enum { WIDTH = 32 };

/* The high half of a byte whose elements are those of its low half, of 1, 2 or
 * 4 bits, in reverse order; the high half in reverse is the same, lower. */
static const unsigned char turned[3][16] = {
    {0x00, 0x80, 0x40, 0xC0, 0x20, 0xA0, 0x60, 0xE0, 0x10, 0x90, 0x50, 0xD0,
     0x30, 0xB0, 0x70, 0xF0},
    {0x00, 0x40, 0x80, 0xC0, 0x10, 0x50, 0x90, 0xD0, 0x20, 0x60, 0xA0, 0xE0,
     0x30, 0x70, 0xB0, 0xF0},
    {0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xA0, 0xB0,
     0xC0, 0xD0, 0xE0, 0xF0},
};

struct maps {
    __m128i shift, behind_shift; /* of the byte, and of the one behind it */
    __m256i mask, behind_mask;   /* what it gives */
    __m256i low, high;           /* its halves in reverse order */
};

static struct maps maps_of(const struct move_bits_way *way)
{
    unsigned shift = way->shift;
    unsigned mask = way->packing.high_first ? 0xFFu << shift : 0xFFu >> shift;
    __m256i low = _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const void *)turned[way->packing.bits / 2]));
    __m256i half = _mm256_set1_epi8(0x0F);

    return (struct maps){
        .shift = _mm_cvtsi32_si128((int)shift),
        .behind_shift = _mm_cvtsi32_si128((int)(8 - shift)),
        .mask = _mm256_set1_epi8((char)mask),
        .behind_mask = _mm256_set1_epi8((char)~mask),
        .low = low,
        .high = _mm256_and_si256(_mm256_srli_epi16(low, 4), half),
    };
}

INLINE __m256i shifted(const unsigned char *at, size_t behind,
                       const struct maps *m, bool high_first)
{
    __m256i x = _mm256_loadu_si256((const void *)at);
    __m256i y = _mm256_loadu_si256((const void *)(at + behind));

    if (high_first) {
        x = _mm256_sll_epi16(x, m->shift);
        y = _mm256_srl_epi16(y, m->behind_shift);
    } else {
        x = _mm256_srl_epi16(x, m->shift);
        y = _mm256_sll_epi16(y, m->behind_shift);
    }
    return _mm256_or_si256(_mm256_and_si256(x, m->mask),
                           _mm256_and_si256(y, m->behind_mask));
}

INLINE __m256i reversed(__m256i x, const struct maps *m)
{
    const __m256i order = _mm256_broadcastsi128_si256(
        _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __m256i half = _mm256_set1_epi8(0x0F);
    __m256i low = _mm256_and_si256(x, half);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), half);

    x = _mm256_or_si256(_mm256_shuffle_epi8(m->low, low),
                        _mm256_shuffle_epi8(m->high, high));
    x = _mm256_shuffle_epi8(x, order);
    return _mm256_permute2x128_si256(x, x, 1);
}

/* Whole vectors. Returns what is done. */
INLINE size_t move(const unsigned char *from, unsigned char *to, size_t bytes,
                   const struct move_bits_way *way, bool high_first)
{
    struct maps m = maps_of(way);
    size_t behind = way->shift ? 1 : 0; /* nothing else is looked at */
    size_t done = 0;

    for (; done + WIDTH <= bytes; done += WIDTH) {
        const unsigned char *at =
            from + (way->reverse ? bytes - WIDTH - done : done);
        __m256i x = shifted(at, behind, &m, high_first);

        _mm256_storeu_si256((void *)(to + done),
                            way->reverse ? reversed(x, &m) : x);
    }
    return done;
}

void move_avx2_bits(const unsigned char *from, unsigned char *to, size_t bytes,
                    const struct move_bits_way *way)
{
    size_t done = way->packing.high_first ? move(from, to, bytes, way, true)
                                          : move(from, to, bytes, way, false);

    move_bits_plain(way->reverse ? from : from + done, to + done, bytes - done,
                    way);
}
