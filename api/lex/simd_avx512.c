/* One vector of 64 bytes, which compares into masks and can compress. */
#include <immintrin.h>
#include <stdint.h>

#define JSON_SIMD_TABLE json_simd_avx512

#include "api/lex/numbers.h"

struct block {
    __m512i bytes;
};

static inline struct block block_load(const char *text)
{
    return (struct block){_mm512_loadu_si512(text)};
}

/* In a general register: gcc would compute in mask registers, and move each
 * mask several times. */
static inline uint64_t block_mask(uint64_t mask)
{
    __asm__("" : "+r"(mask));
    return mask;
}

static inline uint64_t block_equal(struct block b, char byte)
{
    return block_mask(_mm512_cmpeq_epi8_mask(b.bytes, _mm512_set1_epi8(byte)));
}

static inline uint64_t block_digits(struct block b)
{
    return block_mask(_mm512_cmplt_epu8_mask(
        _mm512_sub_epi8(b.bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10)));
}

static inline uint64_t block_spaces(struct block b)
{
    return block_equal(b, ' ') | block_equal(b, '\n') | block_equal(b, '\r') |
           block_equal(b, '\t');
}

static inline uint64_t block_blanks(struct block b)
{
    return _mm512_cmple_epu8_mask(b.bytes, _mm512_set1_epi8(' '));
}

/* Stores the bytes of `keep` to `out`, and some more: block_compress() of
 * simd_functions.h. */
#define BLOCK_HAS_COMPRESS 1
static inline void block_compress(char *out, struct block b, uint64_t keep)
{
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(keep, b.bytes));
}

static const char byte_indexes[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* The indexes of the lowest 16 set bits, in ascending order, plus `base`. */
static inline __m512i bit_indexes(uint64_t mask, uint32_t base)
{
    __m512i packed =
        _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(byte_indexes));

    return _mm512_add_epi32(
        _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed)),
        _mm512_set1_epi32((int)base));
}

/* Stores 16 rows at once; a block has at most 32 commas. */
#define BLOCK_HAS_STORE_ROWS 1
static inline void block_store_rows(struct span *row, uint32_t base,
                                    uint64_t commas, uint64_t starts)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                          21, 6, 22, 7, 23);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));

    for (int left = __builtin_popcountll(commas); left > 0; left -= 16) {
        __m512i ends = bit_indexes(commas, base);
        __m512i begins =
            _mm512_mask_expand_epi32(_mm512_set1_epi32((int)row->start), 0xFFFE,
                                     bit_indexes(starts, base));
        __m512i lens = _mm512_sub_epi32(ends, begins);

        _mm512_storeu_si512(row, _mm512_permutex2var_epi32(begins, low, lens));
        if (left > 8)
            _mm512_storeu_si512(row + 8,
                                _mm512_permutex2var_epi32(begins, high, lens));
        if (left <= 16)
            break;
        /* The 16th start is that of the next group's first row. */
        row += 16;
        starts &= ~(_pdep_u64(0x8000, starts) - 1);
        row->start = base + (uint32_t)__builtin_ctzll(starts);
        starts &= starts - 1;
        commas &= ~(_pdep_u64(0x8000, commas) * 2 - 1);
    }
}

#include "api/lex/simd_functions.h"
