#include <immintrin.h>
#include <stdint.h>

#include "kernels/move_avx512.h"
#include "kernels/move_bits_span.h"
#include "kernels/move_unit.h"

#define INLINE MOVE_UNIT_INLINE

enum { WIDTH = 64 };

static const unsigned char straight[WIDTH] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* What becomes of the bits of a byte: byte i of the matrix says where bit 7 - i
 * comes from. Shifting it shifts the bits the other way. */
#define STILL UINT64_C(0x0102040810204080)

static uint64_t shift_up(unsigned shift)
{
    return shift < 8 ? STILL >> shift * 8 : 0;
}

static uint64_t shift_down(unsigned shift)
{
    return shift < 8 ? STILL << shift * 8 : 0;
}

/* The same with the elements in reverse order: bits 0 to 7 change places with
 * those whose number differs in what the order of elements is counted in. */
static uint64_t turned(uint64_t m, const struct move_bits_way *way)
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

static struct maps maps_of(const struct move_bits_way *way)
{
    unsigned shift = way->shift;
    bool up = way->packing.high_first;
    uint64_t here = up ? shift_up(shift) : shift_down(shift);
    uint64_t behind = up ? shift_down(8 - shift) : shift_up(8 - shift);
    __m512i order = _mm512_loadu_si512(straight);

    if (way->reverse)
        order = _mm512_sub_epi8(_mm512_set1_epi8(WIDTH - 1), order);
    return (struct maps){
        _mm512_set1_epi64((long long)turned(here, way)),
        _mm512_set1_epi64((long long)turned(behind, way)),
        order,
    };
}

/* Without a shift there is nothing behind. */
INLINE __m512i map(__m512i x, __m512i behind, const struct maps *m,
                   bool shifted)
{
    x = _mm512_gf2p8affine_epi64_epi8(x, m->here, 0);
    if (shifted)
        x = _mm512_or_si512(
            x, _mm512_gf2p8affine_epi64_epi8(behind, m->behind, 0));
    return _mm512_permutexvar_epi8(m->order, x);
}

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
