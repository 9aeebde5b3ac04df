/* Transposes matrices of small elements, in square tiles whose rows have 16
 * bytes; a vector holds one row of one tile, or of two tiles side by side. A
 * source file of a table defines WIDTH, the bytes of a vector (16 or 32), then
 * includes this. */
#pragma once

#if WIDTH == 32
#include <immintrin.h>
#endif
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/simd/column_args.h"
#include "kernels/simd/inline.h"

enum { ROW = 16, LANES = WIDTH / ROW };

/* One vector, shuffled as elements of each size. */
typedef uint8_t bytes __attribute__((vector_size(WIDTH)));
typedef uint16_t twos __attribute__((vector_size(WIDTH)));
typedef uint32_t fours __attribute__((vector_size(WIDTH)));
typedef uint64_t eights __attribute__((vector_size(WIDTH)));

/* Index lists that interleave the elements of the first halves (EACH(0)) or of
 * the second halves of two vectors, within each lane of 16 bytes. */
#if WIDTH == 16
#define LOW1(n) (n), 16 + (n)
#define LOW2(n) (n), 8 + (n)
#define LOW4(n) (n), 4 + (n)
#define LOW8(n) (n), 2 + (n)
#define EACH1(n)                                                               \
    LOW1(n), LOW1((n) + 1), LOW1((n) + 2), LOW1((n) + 3), LOW1((n) + 4),       \
        LOW1((n) + 5), LOW1((n) + 6), LOW1((n) + 7)
#define EACH2(n) LOW2(n), LOW2((n) + 1), LOW2((n) + 2), LOW2((n) + 3)
#define EACH4(n) LOW4(n), LOW4((n) + 1)
#define EACH8(n) LOW8(n)
#else
#define LOW1(n) (n), 32 + (n)
#define LOW2(n) (n), 16 + (n)
#define LOW4(n) (n), 8 + (n)
#define LOW8(n) (n), 4 + (n)
#define HALF1(n)                                                               \
    LOW1(n), LOW1((n) + 1), LOW1((n) + 2), LOW1((n) + 3), LOW1((n) + 4),       \
        LOW1((n) + 5), LOW1((n) + 6), LOW1((n) + 7)
#define HALF2(n) LOW2(n), LOW2((n) + 1), LOW2((n) + 2), LOW2((n) + 3)
#define HALF4(n) LOW4(n), LOW4((n) + 1)
#define EACH1(n) HALF1(n), HALF1((n) + 16)
#define EACH2(n) HALF2(n), HALF2((n) + 8)
#define EACH4(n) HALF4(n), HALF4((n) + 4)
#define EACH8(n) LOW8(n), LOW8((n) + 2)
#endif

INLINE bytes interleave_low(bytes a, bytes b, size_t size)
{
    if (size == 1)
        return __builtin_shufflevector(a, b, EACH1(0));
    if (size == 2)
        return (bytes)__builtin_shufflevector((twos)a, (twos)b, EACH2(0));
    if (size == 4)
        return (bytes)__builtin_shufflevector((fours)a, (fours)b, EACH4(0));
    return (bytes)__builtin_shufflevector((eights)a, (eights)b, EACH8(0));
}

INLINE bytes interleave_high(bytes a, bytes b, size_t size)
{
    if (size == 1)
        return __builtin_shufflevector(a, b, EACH1(8));
    if (size == 2)
        return (bytes)__builtin_shufflevector((twos)a, (twos)b, EACH2(4));
    if (size == 4)
        return (bytes)__builtin_shufflevector((fours)a, (fours)b, EACH4(2));
    return (bytes)__builtin_shufflevector((eights)a, (eights)b, EACH8(1));
}

/* The lanes of a vector are adjacent in memory (`joined`), or `lane` bytes
 * apart. */
INLINE bytes load_lanes(const unsigned char *at, bool joined, size_t lane)
{
    bytes v;

#if WIDTH == 32
    if (!joined)
        return (bytes)_mm256_loadu2_m128i((const void *)(at + lane),
                                          (const void *)at);
#endif
    (void)joined;
    (void)lane;
    memcpy(&v, at, sizeof(v));
    return v;
}

INLINE void store_lanes(unsigned char *at, bytes v, bool joined, size_t lane)
{
#if WIDTH == 32
    if (!joined) {
        _mm256_storeu2_m128i((void *)(at + lane), (void *)at, (__m256i)v);
        return;
    }
#endif
    (void)joined;
    (void)lane;
    memcpy(at, &v, sizeof(v));
}

/* Transposes the tile at `from`, or two adjacent tiles: along a row of the
 * source if `wide`, else along a column.
 *
 * An element has the address (row, position in the row), with equally many bits
 * each. Interleaving rows i and i + n/2 rotates these bits by one. After half
 * of them have rotated, row and position have changed roles. */
INLINE void transpose_tile(const unsigned char *from, unsigned char *to,
                           const struct transpose *t, size_t size, bool wide)
{
    const size_t n = ROW / size;
    bytes v[16], w[16];

    for (size_t i = 0; i < n; i++)
        v[i] = load_lanes(from + i * t->from_step, wide, n * t->from_step);
    for (size_t done = 1; done < n; done *= 2) {
        for (size_t i = 0; i < n / 2; i++) {
            w[2 * i] = interleave_low(v[i], v[i + n / 2], size);
            w[2 * i + 1] = interleave_high(v[i], v[i + n / 2], size);
        }
        for (size_t i = 0; i < n; i++)
            v[i] = w[i];
    }
    for (size_t i = 0; i < n; i++)
        store_lanes(to + i * t->to_step, v[i], !wide, n * t->to_step);
}

/* Goes along the longer rows: where rows lie a page apart, the cache holds few
 * of them at a time. The last tile of a side ends where the side ends, so it
 * may overlap the tile before. */
INLINE void transpose_sized(const unsigned char *from, unsigned char *to,
                            const struct transpose *t, size_t size, bool wide)
{
    const size_t n = ROW / size;
    const struct transpose m = *t; /* in registers: `to` cannot alias it */
    size_t outer = wide ? m.rows : m.columns;
    size_t inner = wide ? m.columns : m.rows;

    for (size_t i = 0; i < outer; i += n) {
        size_t o = i + n <= outer ? i : outer - n;

        for (size_t j = 0; j < inner; j += n * LANES) {
            size_t k = j + n * LANES <= inner ? j : inner - n * LANES;
            size_t r = wide ? o : k, c = wide ? k : o;

            transpose_tile(from + r * m.from_step + c * size,
                           to + c * m.to_step + r * size, &m, size, wide);
        }
    }
}

INLINE void transpose_any(const unsigned char *from, unsigned char *to,
                          const struct transpose *t, bool wide)
{
    switch (t->size) {
    case 1:
        transpose_sized(from, to, t, 1, wide);
        break;
    case 2:
        transpose_sized(from, to, t, 2, wide);
        break;
    case 4:
        transpose_sized(from, to, t, 4, wide);
        break;
    default:
        transpose_sized(from, to, t, 8, wide);
    }
}

/* As column_kernels.transpose(). A vector holds adjacent tiles of the side with
 * the longer rows, which must have WIDTH bytes or more. */
static void transpose_matrix(const unsigned char *from, unsigned char *to,
                             const struct transpose *t)
{
    if (t->columns > t->rows)
        transpose_any(from, to, t, true);
    else
        transpose_any(from, to, t, false);
}
