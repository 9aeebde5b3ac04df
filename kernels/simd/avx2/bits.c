#include <immintrin.h>

#include "kernels/simd/avx2/avx2.h"
#include "kernels/simd/plain_bits.h"

enum { WIDTH = 32 };

/* For each half byte, its elements of 1, 2 or 4 bits in reverse order, as the
 * high half of a byte. Shifted down, it is the reverse of a high half. */
static const unsigned char reversed_halves[3][16] = {
    {0x00, 0x80, 0x40, 0xC0, 0x20, 0xA0, 0x60, 0xE0, 0x10, 0x90, 0x50, 0xD0,
     0x30, 0xB0, 0x70, 0xF0},
    {0x00, 0x40, 0x80, 0xC0, 0x10, 0x50, 0x90, 0xD0, 0x20, 0x60, 0xA0, 0xE0,
     0x30, 0x70, 0xB0, 0xF0},
    {0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xA0, 0xB0,
     0xC0, 0xD0, 0xE0, 0xF0},
};

struct bit_masks {
    __m128i shift, rest_shift; /* for a byte, and for the byte after it */
    __m256i mask, rest_mask;   /* the bits that each of them contributes */
    __m256i low, high;         /* its halves in reverse order */
};

static struct bit_masks masks_of(const struct bit_transfer *t)
{
    unsigned shift = t->shift;
    unsigned mask = t->format.high_first ? 0xFFu << shift : 0xFFu >> shift;
    __m256i low = _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const void *)reversed_halves[t->format.bits / 2]));
    __m256i half = _mm256_set1_epi8(0x0F);

    return (struct bit_masks){
        .shift = _mm_cvtsi32_si128((int)shift),
        .rest_shift = _mm_cvtsi32_si128((int)(8 - shift)),
        .mask = _mm256_set1_epi8((char)mask),
        .rest_mask = _mm256_set1_epi8((char)~mask),
        .low = low,
        .high = _mm256_and_si256(_mm256_srli_epi16(low, 4), half),
    };
}

/* Loads 32 bytes and adds the bits of those `next` bytes further. */
INLINE __m256i load_shifted(const unsigned char *at, size_t next,
                            const struct bit_masks *m, bool high_first)
{
    __m256i x = _mm256_loadu_si256((const void *)at);
    __m256i y = _mm256_loadu_si256((const void *)(at + next));

    if (high_first) {
        x = _mm256_sll_epi16(x, m->shift);
        y = _mm256_srl_epi16(y, m->rest_shift);
    } else {
        x = _mm256_srl_epi16(x, m->shift);
        y = _mm256_sll_epi16(y, m->rest_shift);
    }
    return _mm256_or_si256(_mm256_and_si256(x, m->mask),
                           _mm256_and_si256(y, m->rest_mask));
}

INLINE __m256i reverse(__m256i x, const struct bit_masks *m)
{
    const __m256i index = _mm256_broadcastsi128_si256(
        _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __m256i half = _mm256_set1_epi8(0x0F);
    __m256i low = _mm256_and_si256(x, half);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), half);

    x = _mm256_or_si256(_mm256_shuffle_epi8(m->low, low),
                        _mm256_shuffle_epi8(m->high, high));
    x = _mm256_shuffle_epi8(x, index);
    return _mm256_permute2x128_si256(x, x, 1);
}

/* Moves whole vectors. Returns the number of bytes done. */
INLINE size_t copy_vectors(const unsigned char *from, unsigned char *to,
                           size_t bytes, const struct bit_transfer *t,
                           bool high_first)
{
    struct bit_masks m = masks_of(t);
    size_t next = t->shift ? 1 : 0; /* no other byte may be read */
    size_t done = 0;

    for (; done + WIDTH <= bytes; done += WIDTH) {
        const unsigned char *at =
            from + (t->reverse ? bytes - WIDTH - done : done);
        __m256i x = load_shifted(at, next, &m, high_first);

        _mm256_storeu_si256((void *)(to + done),
                            t->reverse ? reverse(x, &m) : x);
    }
    return done;
}

void avx2_bits_copy(const unsigned char *from, unsigned char *to, size_t bytes,
                    const struct bit_transfer *t)
{
    size_t done = t->format.high_first
                      ? copy_vectors(from, to, bytes, t, true)
                      : copy_vectors(from, to, bytes, t, false);

    plain_copy_bits(t->reverse ? from : from + done, to + done, bytes - done,
                    t);
}
