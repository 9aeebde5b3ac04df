#include <string.h>

#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/reverse_index.h"

#define INLINE MOVE_UNIT_INLINE

/* The order of the first rows of a vector, `bytes` in all, fewer than it has
 * room for. */
INLINE __m512i order_of_rest(const struct move_mirror *mirror, size_t bytes)
{
    return _mm512_sub_epi8(mirror->last, _mm512_set1_epi8((char)(64 - bytes)));
}

/* What is exchanged next. It is read before the last is written: a load that
 * meets a vector on its way to the cache waits, for its masked part too. */
struct pair {
    __m512i a, b;
};

INLINE struct pair load_pair(const unsigned char *a, const unsigned char *b)
{
    return (struct pair){move_mirror_load(a), move_mirror_load(b - 64)};
}

/* Exchanges `left` < 64 bytes from a on with those that end at b. */
INLINE void swap_rest(unsigned char *a, unsigned char *b, size_t left,
                      struct pair pair, const struct move_mirror *mirror)
{
    __m512i turn = order_of_rest(mirror, left);
    __mmask64 mask = move_mirror_mask(left);

    if (left == 0)
        return;
    _mm512_mask_storeu_epi8(a, mask, _mm512_permutexvar_epi8(turn, pair.b));
    _mm512_mask_storeu_epi8(b - left, mask,
                            _mm512_permutexvar_epi8(turn, pair.a));
}

INLINE struct pair load_rest(const unsigned char *a, const unsigned char *b,
                             size_t left)
{
    __mmask64 mask = move_mirror_mask(left);

    return (struct pair){_mm512_maskz_loadu_epi8(mask, a),
                         _mm512_maskz_loadu_epi8(mask, b - left)};
}

INLINE void swap_vector(unsigned char *a, unsigned char *b, struct pair pair,
                        const struct move_mirror *mirror, size_t bytes)
{
    __mmask64 mask = move_mirror_mask(bytes);
    __m512i x = _mm512_permutexvar_epi8(mirror->first, pair.a);
    __m512i y = _mm512_permutexvar_epi8(mirror->last, pair.b);

    if (bytes == 64) {
        move_mirror_store(a, y);
        move_mirror_store(b - 64, x);
    } else {
        _mm512_mask_storeu_epi8(a, mask, y);
        _mm512_mask_storeu_epi8(b - bytes, mask, x);
    }
}

/* Exchanges `left` bytes from a on with those that end at b, `bytes` at a
 * time. */
INLINE void swap_vectors(unsigned char *a, unsigned char *b, size_t left,
                         const struct move_mirror *mirror, size_t bytes)
{
    struct pair pair, next;

    if (left < 64) {
        swap_rest(a, b, left, load_rest(a, b, left), mirror);
        return;
    }
    pair = load_pair(a, b);
    for (; left >= 64 + bytes; left -= bytes) {
        next = load_pair(a + bytes, b - bytes);
        swap_vector(a, b, pair, mirror, bytes);
        pair = next;
        a += bytes;
        b -= bytes;
    }
    left -= bytes;
    next = load_rest(a + bytes, b - bytes, left);
    swap_vector(a, b, pair, mirror, bytes);
    swap_rest(a + bytes, b - bytes, left, next, mirror);
}

INLINE void swap_plane(unsigned char *a, unsigned char *b, size_t left,
                       const struct move_mirror *mirror)
{
    if (mirror->bytes == 64)
        swap_vectors(a, b, left, mirror, 64);
    else
        swap_vectors(a, b, left, mirror, mirror->bytes);
}

void move_avx512_swap_reverse(unsigned char *data, const struct move_rows *rows)
{
    struct move_mirror mirror = move_mirror_of(rows->size);
    size_t left = rows->count * rows->size;

    for (size_t plane = 0; plane < rows->planes; plane++) {
        unsigned char *a = data + rows->a + plane * rows->plane_step;
        unsigned char *b = data + rows->b + plane * rows->plane_step;

        swap_plane(a, b + rows->size, left, &mirror);
    }
}

/* Writes whole vectors: what is too much is written again by the next one. */
INLINE void copy_plane(const unsigned char *from, unsigned char *to,
                       size_t left, const struct move_mirror *mirror)
{
    __mmask64 mask;
    __m512i last;

    for (; left >= 64; left -= mirror->bytes) {
        last = move_mirror_load(from + left - 64);
        move_mirror_store(to, _mm512_permutexvar_epi8(mirror->last, last));
        to += mirror->bytes;
    }
    if (left == 0)
        return;
    mask = move_mirror_mask(left);
    last = _mm512_maskz_loadu_epi8(mask, from);
    last = _mm512_permutexvar_epi8(order_of_rest(mirror, left), last);
    _mm512_mask_storeu_epi8(to, mask, last);
}

void move_avx512_copy_reverse(const unsigned char *from, unsigned char *to,
                              const struct move_rows *rows)
{
    struct move_mirror mirror = move_mirror_of(rows->size);
    size_t bytes = rows->count * rows->size;

    from += rows->b + rows->size - bytes;
    to += rows->a;
    for (size_t plane = 0; plane < rows->planes; plane++)
        copy_plane(from + plane * rows->plane_step,
                   to + plane * rows->plane_step, bytes, &mirror);
}

void move_avx512_swap_short_lens(unsigned char *data,
                                 const struct move_sequences *s)
{
    struct move_mirror mirror = move_mirror_of(s->size);

    for (size_t i = 0; i < s->count; i++) {
        size_t len = (size_t)s->lens[i];

        swap_plane(data, data + len * s->size, len / 2 * s->size, &mirror);
        data += s->rows * s->size;
    }
}

/* The bytes at `done`, of which the first `left` are reversed. */
INLINE __m512i join(const unsigned char *from, size_t done, size_t left,
                    __m512i places, const struct move_mirror *mirror)
{
    __m512i taken = _mm512_set1_epi8((char)(left < 64 ? left : 64));
    __m512i head = move_mirror_load(from + left - 64);

    return _mm512_mask_permutexvar_epi8(move_mirror_load(from + done),
                                        _mm512_cmpgt_epu8_mask(taken, places),
                                        mirror->last, head);
}

/* A sequence, `flipped` bytes of which are reversed. No branch depends on where
 * they end, which cannot be foretold. Reads up to 64 bytes before and behind,
 * and writes as many behind. */
INLINE void copy_between(const unsigned char *from, unsigned char *to,
                         size_t bytes, size_t flipped, __m512i places,
                         const struct move_mirror *mirror)
{
    for (size_t done = 0; done < bytes; done += mirror->bytes) {
        size_t left = flipped > done ? flipped - done : 0;

        move_mirror_store(to + done, join(from, done, left, places, mirror));
    }
}

/* The same where no two rows go into a vector: each is read where it is. */
INLINE void copy_rows_between(const unsigned char *from, unsigned char *to,
                              size_t rows, size_t len, size_t size)
{
    for (size_t row = 0; row < rows; row++) {
        size_t place = row < len ? len - 1 - row : row;

        move_mirror_store(to + row * size,
                          move_mirror_load(from + place * size));
    }
}

/* The first and the last, beside which nothing may be touched. */
INLINE void copy_alone(const unsigned char *from, unsigned char *to,
                       size_t bytes, size_t flipped,
                       const struct move_mirror *mirror)
{
    copy_plane(from, to, flipped, mirror);
    memcpy(to + flipped, from + flipped, bytes - flipped);
}

void move_avx512_copy_short_lens(const unsigned char *from, unsigned char *to,
                                 const struct move_sequences *s)
{
    struct move_mirror mirror = move_mirror_of(s->size);
    __m512i places = move_mirror_places();
    size_t bytes = s->rows * s->size;

    for (size_t i = 0; i < s->count; i++) {
        size_t flipped = (size_t)s->lens[i] * s->size;

        if (i == 0 || i + 1 == s->count || bytes < 64)
            copy_alone(from, to, bytes, flipped, &mirror);
        else if (mirror.bytes == s->size)
            copy_rows_between(from, to, s->rows, (size_t)s->lens[i], s->size);
        else
            copy_between(from, to, bytes, flipped, places, &mirror);
        from += bytes;
        to += bytes;
    }
}
