#include <immintrin.h>

#include "kernels/simd/avx2/avx2.h"
#include "kernels/simd/small_copy.h"

/* Shuffles that reverse the elements of 16 bytes. */
struct reverse_shuffle {
    __m256i wide; /* `narrow` twice; load() exchanges the halves */
    __m128i narrow;
};

INLINE struct reverse_shuffle reverse_shuffle_of(size_t size)
{
    const __m128i bytes =
        _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    struct reverse_shuffle s;

    s.narrow = _mm_xor_si128(bytes, _mm_set1_epi8((char)(size - 1)));
    s.wide = _mm256_broadcastsi128_si256(s.narrow);
    return s;
}

/* Loads `part` bytes (1, 2, 4, 8, 16 or 32, a constant) in reverse order. */
INLINE __m256i load(const unsigned char *at, size_t part,
                    struct reverse_shuffle s)
{
    __m256i v;

    if (part == 32) {
        v = _mm256_loadu_si256((const void *)at);
        v = _mm256_shuffle_epi8(v, s.wide);
        return _mm256_permute2x128_si256(v, v, 1);
    }
    if (part == 16)
        return _mm256_castsi128_si256(
            _mm_shuffle_epi8(_mm_loadu_si128((const void *)at), s.narrow));
    /* The last `part` bytes of the shuffle, counted from the part's start. */
    return _mm256_castsi128_si256(_mm_shuffle_epi8(
        _mm_cvtsi64_si128((long long)small_load(at, part)),
        _mm_sub_epi8(s.narrow, _mm_set1_epi8((char)(16 - part)))));
}

INLINE void store(unsigned char *at, size_t part, __m256i v)
{
    __m128i low = _mm256_castsi256_si128(v);

    if (part == 32)
        _mm256_storeu_si256((void *)at, v);
    else if (part == 16)
        _mm_storeu_si128((void *)at, low);
    else
        small_store(at, (uint64_t)_mm_cvtsi128_si64(low), part);
}

/* The largest part that fits into `bytes`. */
INLINE size_t part_of(size_t bytes)
{
    if (bytes >= 32)
        return 32;
    return (size_t)1 << (31 - __builtin_clz((unsigned)bytes | 1));
}

/* Reverses one to two parts; `to` may be `from`. Moves both ends at once, which
 * may overlap in the middle. */
INLINE void reverse_ends(const unsigned char *from, unsigned char *to,
                         size_t bytes, size_t part, struct reverse_shuffle s)
{
    __m256i first = load(from, part, s);
    __m256i last = load(from + bytes - part, part, s);

    store(to, part, last);
    store(to + bytes - part, part, first);
}

/* Adjacent rows of one plane, and the planes after it. */
struct planes {
    const unsigned char *from;
    unsigned char *to;
    size_t bytes; /* of a plane */
    size_t count, step;
};

/* Planes of at most two parts of 32 bytes. Callers pass `part` as a constant.
 */
INLINE void reverse_planes(struct planes p, size_t part,
                           struct reverse_shuffle s)
{
    for (size_t i = 0; i < p.count; i++)
        reverse_ends(p.from + i * p.step, p.to + i * p.step, p.bytes, part, s);
}

static void reverse_short(const struct planes *p, struct reverse_shuffle s)
{
    switch (part_of(p->bytes)) {
    case 32:
        reverse_planes(*p, 32, s);
        break;
    case 16:
        reverse_planes(*p, 16, s);
        break;
    case 8:
        reverse_planes(*p, 8, s);
        break;
    case 4:
        reverse_planes(*p, 4, s);
        break;
    case 2:
        reverse_planes(*p, 2, s);
        break;
    default:
        reverse_planes(*p, 1, s);
    }
}

/* Reverses in place: 32 bytes at both ends, then the bytes between them. */
static void reverse_long(unsigned char *at, size_t bytes,
                         struct reverse_shuffle s)
{
    for (; bytes >= 64; bytes -= 64, at += 32)
        reverse_ends(at, at, bytes, 32, s);
    if (bytes > 0)
        reverse_short(&(struct planes){at, at, bytes, 1, 0}, s);
}

/* Two regions of `bytes` bytes: one starts at a, the other ends at b. */
struct regions {
    unsigned char *a, *b;
    size_t bytes;
};

/* Exchanges one part, `done` bytes from the outer ends, if the size has that
 * bit. Returns the number of bytes done. */
INLINE size_t swap_part(const struct regions *r, size_t done, size_t part,
                        struct reverse_shuffle s)
{
    unsigned char *a = r->a + done, *b = r->b - done - part;
    __m256i x, y;

    if (!(r->bytes & part))
        return done;
    x = load(a, part, s);
    y = load(b, part, s);
    store(a, part, y);
    store(b, part, x);
    return done + part;
}

static void swap_regions(struct regions r, struct reverse_shuffle s)
{
    struct regions whole = {r.a, r.b, 32};
    size_t done = 0;

    while (done + 32 <= r.bytes)
        done = swap_part(&whole, done, 32, s);
    done = swap_part(&r, done, 16, s);
    done = swap_part(&r, done, 8, s);
    done = swap_part(&r, done, 4, s);
    done = swap_part(&r, done, 2, s);
    swap_part(&r, done, 1, s);
}

void avx2_reverse_swap(unsigned char *data, const struct strided_rows *rows)
{
    struct reverse_shuffle s = reverse_shuffle_of(rows->size);
    size_t half = rows->count * rows->size;
    size_t whole = rows->b + rows->size - rows->a;
    /* Are the sides the two halves of one span, at most one row apart? */
    bool halves = whole - 2 * half <= rows->size;
    unsigned char *a = data + rows->a, *b = data + rows->b;

    if (halves && whole < 64) {
        reverse_short(
            &(struct planes){a, a, whole, rows->batch, rows->batch_step}, s);
        return;
    }
    for (size_t plane = 0; plane < rows->batch; plane++) {
        if (halves)
            reverse_long(a, whole, s);
        else
            swap_regions((struct regions){a, b + rows->size, half}, s);
        a += rows->batch_step;
        b += rows->batch_step;
    }
}

void avx2_reverse_copy(const unsigned char *data, unsigned char *out,
                       const struct strided_rows *rows)
{
    struct reverse_shuffle s = reverse_shuffle_of(rows->size);
    size_t bytes = rows->count * rows->size;
    const unsigned char *from = data + rows->b + rows->size - bytes;
    unsigned char *to = out + rows->a;

    if (bytes < 64) {
        reverse_short(
            &(struct planes){from, to, bytes, rows->batch, rows->batch_step},
            s);
        return;
    }
    for (size_t plane = 0; plane < rows->batch; plane++) {
        const unsigned char *end = from + bytes;
        size_t done = 0;

        for (; done + 32 <= bytes; done += 32)
            store(to + done, 32, load(end - done - 32, 32, s));
        store(to + bytes - 32, 32, load(from, 32, s));
        from += rows->batch_step;
        to += rows->batch_step;
    }
}
