/* The instructions of x86-64 that kernels/simd uses, in plain C from Intel's
 * description of each, for CBMC, which knows none. check.sh compares them with
 * the processor.
 *
 * A vector consists of bytes here: CBMC follows constants through them, but not
 * through casts to other elements. */
#pragma once

#include <stdint.h>
#include <string.h>

typedef uint8_t __m128i __attribute__((vector_size(16)));
typedef uint8_t __m256i __attribute__((vector_size(32)));
typedef uint8_t __m512i __attribute__((vector_size(64)));
typedef uint64_t __mmask64;

static inline __m128i _mm_loadu_si128(const void *at)
{
    __m128i v;

    memcpy(&v, at, sizeof(v));
    return v;
}

static inline void _mm_storeu_si128(void *at, __m128i v)
{
    memcpy(at, &v, sizeof(v));
}

static inline __m128i _mm_set_epi64x(long long high, long long low)
{
    __m128i v;

    for (int i = 0; i < 8; i++) {
        v[i] = (uint8_t)((uint64_t)low >> 8 * i);
        v[8 + i] = (uint8_t)((uint64_t)high >> 8 * i);
    }
    return v;
}

/* The upper half is undefined: any value, here and for the processor. */
static inline __m256i _mm256_castsi128_si256(__m128i v)
{
    __m256i wide;

    for (int i = 0; i < 16; i++)
        wide[i] = v[i];
    return wide;
}

static inline __m128i _mm256_castsi256_si128(__m256i v)
{
    __m128i low;

    for (int i = 0; i < 16; i++)
        low[i] = v[i];
    return low;
}

static inline __m256i _mm256_inserti128_si256(__m256i v, __m128i lane, int at)
{
    for (int i = 0; i < 16; i++)
        v[16 * (at & 1) + i] = lane[i];
    return v;
}

static inline __m256i _mm256_loadu2_m128i(const void *high, const void *low)
{
    __m256i v;

    memcpy(&v, low, 16);
    memcpy((uint8_t *)&v + 16, high, 16);
    return v;
}

/* Four bits for each lane of the result: a lane of a or b, or zeros. */
static inline __m256i _mm256_permute2x128_si256(__m256i a, __m256i b, int how)
{
    __m256i v;

    for (int lane = 0; lane < 2; lane++, how >>= 4) {
        for (int i = 0; i < 16; i++) {
            int from = 16 * (how & 1) + i;

            v[16 * lane + i] = how & 8 ? 0 : how & 2 ? b[from] : a[from];
        }
    }
    return v;
}

/* Within lanes of 16 bytes; an index byte of 128 or more makes a 0. */
static inline __m256i _mm256_shuffle_epi8(__m256i a, __m256i index)
{
    __m256i v;

    for (int i = 0; i < 32; i++)
        v[i] = index[i] & 0x80 ? 0 : a[(i & 16) + (index[i] & 15)];
    return v;
}

/* Of an index byte the lowest six bits count. */
static inline __m512i _mm512_permutexvar_epi8(__m512i index, __m512i a)
{
    __m512i v;

    for (int i = 0; i < 64; i++)
        v[i] = a[index[i] & 63];
    return v;
}

/* Bytes whose bit of the mask is 0 are not read. */
static inline __m512i _mm512_maskz_loadu_epi8(__mmask64 mask, const void *at)
{
    __m512i v;

    for (int i = 0; i < 64; i++)
        v[i] = mask >> i & 1 ? ((const uint8_t *)at)[i] : 0;
    return v;
}

/* Bytes whose bit of the mask is 0 are not written. */
static inline void _mm512_mask_storeu_epi8(void *at, __mmask64 mask, __m512i v)
{
    for (int i = 0; i < 64; i++) {
        if (mask >> i & 1)
            ((uint8_t *)at)[i] = v[i];
    }
}

/* The processor faults at an address that is no multiple of 64. */
static inline void _mm512_stream_si512(void *at, __m512i v)
{
#ifdef __CPROVER__
    __CPROVER_assert((uintptr_t)at % 64 == 0, "aligned nontemporal store");
#endif
    memcpy(at, &v, sizeof(v));
}

/* The upper lanes are undefined: any value, here and for the processor. */
static inline __m512i _mm512_castsi128_si512(__m128i v)
{
    __m512i wide;

    for (int i = 0; i < 16; i++)
        wide[i] = v[i];
    return wide;
}

static inline __m512i _mm512_inserti32x4(__m512i v, __m128i lane, int at)
{
    for (int i = 0; i < 16; i++)
        v[16 * (at & 3) + i] = lane[i];
    return v;
}
