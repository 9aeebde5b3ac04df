/* What becomes of a vector of packed elements. Private to the files that are
 * compiled for AVX-512 and GFNI. */
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "kernels/move/bits_span.h"
#include "kernels/simd/avx512/reverse_index.h"

#define INLINE MOVE_UNIT_INLINE

enum { WIDTH = 64 };

/* What becomes of the bits of a byte: byte i of the matrix says where bit 7 - i
 * comes from. Shifting it shifts the bits the other way. */
#define STILL UINT64_C(0x0102040810204080)

INLINE uint64_t shift_up(unsigned shift)
{
    return shift < 8 ? STILL >> shift * 8 : 0;
}

INLINE uint64_t shift_down(unsigned shift)
{
    return shift < 8 ? STILL << shift * 8 : 0;
}

/* The same with the elements in reverse order: bits 0 to 7 change places with
 * those whose number differs in what the order of elements is counted in. */
INLINE uint64_t turned(uint64_t m, const struct move_bits_way *way)
{
    if (!way->reverse)
        return m;
    m = m >> 32 | m << 32;
    if (way->packing.bits < 4)
        m = (m >> 16 & 0x0000FFFF0000FFFF) | (m & 0x0000FFFF0000FFFF) << 16;
    if (way->packing.bits < 2)
        m = (m >> 8 & 0x00FF00FF00FF00FF) | (m & 0x00FF00FF00FF00FF) << 8;
    return m;
}

/* The bits of a byte where it starts and of the byte behind it, and the order
 * of bytes. */
struct maps {
    __m512i here, behind, order;
};

INLINE struct maps maps_of(const struct move_bits_way *way)
{
    unsigned shift = way->shift;
    bool up = way->packing.high_first;
    uint64_t here = up ? shift_up(shift) : shift_down(shift);
    uint64_t behind = up ? shift_down(8 - shift) : shift_up(8 - shift);

    return (struct maps){
        _mm512_set1_epi64((long long)turned(here, way)),
        _mm512_set1_epi64((long long)turned(behind, way)),
        way->reverse ? move_mirror_of(1).last : move_mirror_places(),
    };
}

/* The same in reverse order with the way's shift, 1 to 8; `whole` are those
 * without. Elements keep together: what is shifted and turned is turned and
 * shifted back. No branch looks at the shift. */
INLINE struct maps maps_behind(const struct maps *whole,
                               const struct move_bits_way *way)
{
    const __m128i byte = _mm_cvtsi32_si128(8);
    __m128i more = _mm_cvtsi32_si128((int)(way->shift - 1) * 8);
    __m128i rest = _mm_cvtsi32_si128((int)(8 - way->shift) * 8);
    __m512i x = whole->here;

    if (way->packing.high_first)
        return (struct maps){_mm512_sll_epi64(_mm512_sll_epi64(x, byte), more),
                             _mm512_srl_epi64(x, rest), whole->order};
    return (struct maps){_mm512_srl_epi64(_mm512_srl_epi64(x, byte), more),
                         _mm512_sll_epi64(x, rest), whole->order};
}

/* Bytes with those behind them. */
INLINE __m512i affine(__m512i x, __m512i behind, const struct maps *m)
{
    return _mm512_or_si512(_mm512_gf2p8affine_epi64_epi8(x, m->here, 0),
                           _mm512_gf2p8affine_epi64_epi8(behind, m->behind, 0));
}

/* Without a shift there is nothing behind. */
INLINE __m512i map(__m512i x, __m512i behind, const struct maps *m,
                   bool shifted)
{
    x = shifted ? affine(x, behind, m)
                : _mm512_gf2p8affine_epi64_epi8(x, m->here, 0);
    return _mm512_permutexvar_epi8(m->order, x);
}

/* The first elements of a sequence that starts with a byte: so many bytes, and
 * some of one more. */
struct head {
    size_t bytes;
    struct move_bits_way way; /* its shift: bits of the last byte, 1 to 8 */
};

/* One element stays as it is, as none does. */
INLINE struct head head_of(const struct move_bits *packing, size_t len)
{
    size_t bits = (len > 0 ? len : 1) * packing->bits - 1;

    return (struct head){bits / 8, {*packing, true, (unsigned)(bits % 8) + 1}};
}

/* The byte behind them, of whose bits some are the first ones of the first. */
INLINE unsigned char last_byte(const unsigned char *from,
                               const struct head *head, const struct maps *m)
{
    unsigned keep = 8 - head->way.shift;
    unsigned mask =
        head->way.packing.high_first ? 0xFFu << keep : 0xFFu >> keep;
    __m128i first = _mm_gf2p8affine_epi64_epi8(
        _mm_cvtsi32_si128(*from), _mm512_castsi512_si128(m->behind), 0);

    return (unsigned char)((from[head->bytes] & ~mask) |
                           (unsigned)_mm_cvtsi128_si32(first));
}
