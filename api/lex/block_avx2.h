/* A block of 64 bytes as two AVX2 registers. */
#pragma once

#include <immintrin.h>
#include <stdint.h>

struct block {
    __m256i low, high;
};

static inline struct block block_load(const char *text)
{
    const __m256i *from = (const __m256i *)(const void *)text;

    return (struct block){_mm256_loadu_si256(from),
                          _mm256_loadu_si256(from + 1)};
}

static inline uint64_t block_mask(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline uint64_t block_equal(struct block b, char byte)
{
    __m256i wanted = _mm256_set1_epi8(byte);

    return block_mask(_mm256_cmpeq_epi8(b.low, wanted),
                      _mm256_cmpeq_epi8(b.high, wanted));
}

static inline __m256i find_digits(__m256i half)
{
    __m256i value = _mm256_sub_epi8(half, _mm256_set1_epi8('0'));

    return _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)),
                             value);
}

static inline uint64_t block_digits(struct block b)
{
    return block_mask(find_digits(b.low), find_digits(b.high));
}

/* A byte is white space if looking up its low four bits in the table gives the
 * byte itself. */
static inline __m256i find_spaces(__m256i half)
{
    __m256i table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', '\t', '\n',
                      ' ', ' ', '\r', ' ', ' '));

    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, half), half);
}

static inline uint64_t block_spaces(struct block b)
{
    return block_mask(find_spaces(b.low), find_spaces(b.high));
}

static inline uint64_t block_blanks(struct block b)
{
    __m256i space = _mm256_set1_epi8(' ');

    return block_mask(
        _mm256_cmpeq_epi8(_mm256_min_epu8(b.low, space), b.low),
        _mm256_cmpeq_epi8(_mm256_min_epu8(b.high, space), b.high));
}
