/* A block of 64 bytes as four SSE2 registers; every x86-64 processor has them.
 */
#pragma once

#include <emmintrin.h>
#include <stdint.h>

struct block {
    __m128i parts[4];
};

static inline struct block block_load(const char *text)
{
    const __m128i *from = (const __m128i *)(const void *)text;

    return (struct block){{_mm_loadu_si128(from), _mm_loadu_si128(from + 1),
                           _mm_loadu_si128(from + 2),
                           _mm_loadu_si128(from + 3)}};
}

static inline uint64_t part_mask(__m128i matches, int i)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(matches) << 16 * i;
}

static inline uint64_t block_equal(struct block b, char byte)
{
    __m128i wanted = _mm_set1_epi8(byte);
    uint64_t mask = 0;

    for (int i = 0; i < 4; i++)
        mask |= part_mask(_mm_cmpeq_epi8(b.parts[i], wanted), i);
    return mask;
}

static inline uint64_t block_digits(struct block b)
{
    uint64_t mask = 0;

    for (int i = 0; i < 4; i++) {
        __m128i value = _mm_sub_epi8(b.parts[i], _mm_set1_epi8('0'));
        __m128i least = _mm_min_epu8(value, _mm_set1_epi8(9));

        mask |= part_mask(_mm_cmpeq_epi8(least, value), i);
    }
    return mask;
}

static inline uint64_t block_spaces(struct block b)
{
    uint64_t mask = 0;

    for (int i = 0; i < 4; i++) {
        __m128i part = b.parts[i];
        __m128i blank = _mm_cmpeq_epi8(part, _mm_set1_epi8(' '));
        __m128i tab = _mm_cmpeq_epi8(part, _mm_set1_epi8('\t'));
        __m128i feed = _mm_cmpeq_epi8(part, _mm_set1_epi8('\n'));
        __m128i end = _mm_cmpeq_epi8(part, _mm_set1_epi8('\r'));

        mask |= part_mask(
            _mm_or_si128(_mm_or_si128(blank, tab), _mm_or_si128(feed, end)), i);
    }
    return mask;
}

static inline uint64_t block_blanks(struct block b)
{
    uint64_t mask = 0;

    for (int i = 0; i < 4; i++) {
        __m128i least = _mm_min_epu8(b.parts[i], _mm_set1_epi8(' '));

        mask |= part_mask(_mm_cmpeq_epi8(least, b.parts[i]), i);
    }
    return mask;
}
