#include <immintrin.h>

#include "kernels/simd/avx2/avx2.h"
#include "kernels/simd/unit.h"

#define INLINE MOVE_UNIT_INLINE

/* Which bytes make the reverse order of 16: element size in, shuffle out. */
struct order {
    __m256i wide; /* the same twice: its halves change places besides */
    __m128i narrow;
};

INLINE struct order order_of(size_t size)
{
    const __m128i bytes =
        _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    struct order o;

    o.narrow = _mm_xor_si128(bytes, _mm_set1_epi8((char)(size - 1)));
    o.wide = _mm256_broadcastsi128_si256(o.narrow);
    return o;
}

/* `unit` bytes at `at` in reverse order: 1, 2, 4, 8, 16 or 32, a constant. */
INLINE __m256i load(const unsigned char *at, size_t unit, struct order o)
{
    __m256i v;

    if (unit == 32) {
        v = _mm256_loadu_si256((const void *)at);
        v = _mm256_shuffle_epi8(v, o.wide);
        return _mm256_permute2x128_si256(v, v, 1);
    }
    if (unit == 16)
        return _mm256_castsi128_si256(
            _mm_shuffle_epi8(_mm_loadu_si128((const void *)at), o.narrow));
    /* The last bytes of the order, counted from the unit's first. */
    return _mm256_castsi128_si256(_mm_shuffle_epi8(
        _mm_cvtsi64_si128((long long)move_unit_load(at, unit)),
        _mm_sub_epi8(o.narrow, _mm_set1_epi8((char)(16 - unit)))));
}

INLINE void store(unsigned char *at, size_t unit, __m256i v)
{
    __m128i low = _mm256_castsi256_si128(v);

    if (unit == 32)
        _mm256_storeu_si256((void *)at, v);
    else if (unit == 16)
        _mm_storeu_si128((void *)at, low);
    else
        move_unit_store(at, (uint64_t)_mm_cvtsi128_si64(low), unit);
}

/* The largest unit that goes into `bytes`. */
INLINE size_t unit_of(size_t bytes)
{
    if (bytes >= 32)
        return 32;
    return (size_t)1 << (31 - __builtin_clz((unsigned)bytes | 1));
}

/* Puts the reverse of unit to 2 x unit bytes at `to`, which may be `from`: both
 * ends at once, overlapping in the middle. */
INLINE void turn(const unsigned char *from, unsigned char *to, size_t bytes,
                 size_t unit, struct order o)
{
    __m256i first = load(from, unit, o);
    __m256i last = load(from + bytes - unit, unit, o);

    store(to, unit, last);
    store(to + bytes - unit, unit, first);
}

/* As many bytes as two units of 32, or fewer: one way for all planes, whose
 * unit the caller makes a constant. */
INLINE void turn_planes(const unsigned char *from, unsigned char *to,
                        const struct move_rows *r, size_t bytes, size_t unit,
                        struct order o)
{
    for (size_t plane = 0; plane < r->planes; plane++)
        turn(from + plane * r->plane_step, to + plane * r->plane_step, bytes,
             unit, o);
}

static void turn_short(const unsigned char *from, unsigned char *to,
                       const struct move_rows *r, size_t bytes, struct order o)
{
    switch (unit_of(bytes)) {
    case 32:
        turn_planes(from, to, r, bytes, 32, o);
        break;
    case 16:
        turn_planes(from, to, r, bytes, 16, o);
        break;
    case 8:
        turn_planes(from, to, r, bytes, 8, o);
        break;
    case 4:
        turn_planes(from, to, r, bytes, 4, o);
        break;
    case 2:
        turn_planes(from, to, r, bytes, 2, o);
        break;
    default:
        turn_planes(from, to, r, bytes, 1, o);
    }
}

/* Reverses in place: 32 bytes at both ends, then what is left between. */
static void turn_long(unsigned char *at, size_t bytes, struct order o)
{
    static const struct move_rows once = {.planes = 1};

    for (; bytes >= 64; bytes -= 64, at += 32)
        turn(at, at, bytes, 32, o);
    if (bytes > 0)
        turn_short(at, at, &once, bytes, o);
}

/* Exchanges the unit at both places if that bit is set in what is to be done:
 * done bytes after `a`, and as many before the end of b's region. */
INLINE size_t swap_unit(unsigned char *a, unsigned char *b, size_t bytes,
                        size_t done, size_t unit, struct order o)
{
    __m256i x, y;

    if (!(bytes & unit))
        return done;
    a += done;
    b -= done + unit;
    x = load(a, unit, o);
    y = load(b, unit, o);
    store(a, unit, y);
    store(b, unit, x);
    return done + unit;
}

/* Exchanges regions that lie anywhere; b is the end of one. */
static void swap_apart(unsigned char *a, unsigned char *b, size_t bytes,
                       struct order o)
{
    size_t done = 0;

    while (done + 32 <= bytes)
        done = swap_unit(a, b, 32, done, 32, o);
    done = swap_unit(a, b, bytes, done, 16, o);
    done = swap_unit(a, b, bytes, done, 8, o);
    done = swap_unit(a, b, bytes, done, 4, o);
    done = swap_unit(a, b, bytes, done, 2, o);
    swap_unit(a, b, bytes, done, 1, o);
}

void move_avx2_swap_reverse(unsigned char *data, const struct move_rows *rows)
{
    struct order o = order_of(rows->size);
    size_t half = rows->count * rows->size;
    size_t whole = rows->b + rows->size - rows->a;
    /* The two sides of one span, with or without an element between? */
    bool paired = whole - 2 * half <= rows->size;

    if (paired && whole < 64) {
        turn_short(data + rows->a, data + rows->a, rows, whole, o);
        return;
    }
    for (size_t plane = 0; plane < rows->planes; plane++) {
        unsigned char *a = data + rows->a + plane * rows->plane_step;
        unsigned char *b = data + rows->b + plane * rows->plane_step;

        if (paired)
            turn_long(a, whole, o);
        else
            swap_apart(a, b + rows->size, half, o);
    }
}

void move_avx2_copy_reverse(const unsigned char *data, unsigned char *out,
                            const struct move_rows *rows)
{
    struct order o = order_of(rows->size);
    size_t bytes = rows->count * rows->size;
    const unsigned char *from = data + rows->b + rows->size - bytes;
    unsigned char *to = out + rows->a;

    if (bytes < 64) {
        turn_short(from, to, rows, bytes, o);
        return;
    }
    for (size_t plane = 0; plane < rows->planes; plane++) {
        const unsigned char *end = from + bytes;
        size_t done = 0;

        for (; done + 32 <= bytes; done += 32)
            store(to + done, 32, load(end - done - 32, 32, o));
        store(to + bytes - 32, 32, load(from, 32, o));
        from += rows->plane_step;
        to += rows->plane_step;
    }
}
