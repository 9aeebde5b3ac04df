#include <stdbool.h>
#include <string.h>

#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/reverse_index.h"

/* The two vectors that are exchanged next. They are loaded before the last two
 * are stored: a load that overlaps a store in flight waits for it, even where a
 * mask excludes the common bytes. */
struct pair {
    __m512i a, b;
};

INLINE struct pair load_pair(const unsigned char *a, const unsigned char *b)
{
    return (struct pair){vector_load(a), vector_load(b - 64)};
}

INLINE struct pair load_rest(const unsigned char *a, const unsigned char *b,
                             size_t left)
{
    __mmask64 mask = vector_mask(left);

    return (struct pair){_mm512_maskz_loadu_epi8(mask, a),
                         _mm512_maskz_loadu_epi8(mask, b - left)};
}

/* Stores `left` < 64 bytes from a on and those that end at b. */
INLINE void store_rest(unsigned char *a, unsigned char *b, size_t left,
                       struct pair pair, const struct reverse_index *index)
{
    __m512i reverse = reverse_index_of_rest(index, left);
    __mmask64 mask = vector_mask(left);

    if (left == 0)
        return;
    _mm512_mask_storeu_epi8(a, mask, _mm512_permutexvar_epi8(reverse, pair.b));
    _mm512_mask_storeu_epi8(b - left, mask,
                            _mm512_permutexvar_epi8(reverse, pair.a));
}

/* Stores index->bytes bytes; callers pass `full` as a constant. */
INLINE void store_pair(unsigned char *a, unsigned char *b, struct pair pair,
                       const struct reverse_index *index, bool full)
{
    __mmask64 mask = vector_mask(index->bytes);
    __m512i x = _mm512_permutexvar_epi8(index->first, pair.a);
    __m512i y = _mm512_permutexvar_epi8(index->last, pair.b);

    if (full) {
        vector_store(a, y);
        vector_store(b - 64, x);
    } else {
        _mm512_mask_storeu_epi8(a, mask, y);
        _mm512_mask_storeu_epi8(b - index->bytes, mask, x);
    }
}

/* Exchanges `left` bytes from a on with those that end at b. `full`: whole rows
 * fill a vector. */
INLINE void swap_vectors(unsigned char *a, unsigned char *b, size_t left,
                         const struct reverse_index *index, bool full)
{
    const size_t bytes = full ? 64 : index->bytes;
    struct pair pair, next;

    if (left < 64) {
        store_rest(a, b, left, load_rest(a, b, left), index);
        return;
    }
    pair = load_pair(a, b);
    for (; left >= 64 + bytes; left -= bytes) {
        next = load_pair(a + bytes, b - bytes);
        store_pair(a, b, pair, index, full);
        pair = next;
        a += bytes;
        b -= bytes;
    }
    left -= bytes;
    next = load_rest(a + bytes, b - bytes, left);
    store_pair(a, b, pair, index, full);
    store_rest(a + bytes, b - bytes, left, next, index);
}

INLINE void swap_plane(unsigned char *a, unsigned char *b, size_t left,
                       const struct reverse_index *index)
{
    if (index->bytes == 64)
        swap_vectors(a, b, left, index, true);
    else
        swap_vectors(a, b, left, index, false);
}

void avx512_reverse_swap(unsigned char *data, const struct strided_rows *rows)
{
    struct reverse_index index = reverse_index_of(rows->size);
    size_t left = rows->count * rows->size;

    for (size_t plane = 0; plane < rows->batch; plane++) {
        unsigned char *a = data + rows->a + plane * rows->batch_step;
        unsigned char *b = data + rows->b + plane * rows->batch_step;

        swap_plane(a, b + rows->size, left, &index);
    }
}

/* Stores whole vectors: the next store overwrites the surplus bytes. */
INLINE void copy_plane(const unsigned char *from, unsigned char *to,
                       size_t left, const struct reverse_index *index)
{
    __mmask64 mask;
    __m512i last;

    for (; left >= 64; left -= index->bytes) {
        last = vector_load(from + left - 64);
        vector_store(to, _mm512_permutexvar_epi8(index->last, last));
        to += index->bytes;
    }
    if (left == 0)
        return;
    mask = vector_mask(left);
    last = _mm512_maskz_loadu_epi8(mask, from);
    last = _mm512_permutexvar_epi8(reverse_index_of_rest(index, left), last);
    _mm512_mask_storeu_epi8(to, mask, last);
}

void avx512_reverse_copy(const unsigned char *from, unsigned char *to,
                         const struct strided_rows *rows)
{
    struct reverse_index index = reverse_index_of(rows->size);
    size_t bytes = rows->count * rows->size;

    from += rows->b + rows->size - bytes;
    to += rows->a;
    for (size_t plane = 0; plane < rows->batch; plane++)
        copy_plane(from + plane * rows->batch_step,
                   to + plane * rows->batch_step, bytes, &index);
}

void avx512_reverse_swap_ragged(unsigned char *data,
                                const struct ragged_rows *rows)
{
    struct reverse_index index = reverse_index_of(rows->size);

    for (size_t i = 0; i < rows->count; i++) {
        size_t len = (size_t)rows->lens[i];

        swap_plane(data, data + len * rows->size, len / 2 * rows->size, &index);
        data += rows->rows * rows->size;
    }
}

/* A sequence of rows, of which the first `len` are reversed. */
struct sequence {
    const unsigned char *from;
    unsigned char *to;
    size_t rows, len;
    size_t bytes, reversed; /* rows and len, in bytes */
};

/* The result's 64 bytes at `done`. */
INLINE __m512i join(const struct sequence *s, size_t done, __m512i count,
                    const struct reverse_index *index)
{
    size_t left = s->reversed > done ? s->reversed - done : 0;
    __m512i limit = _mm512_set1_epi8((char)(left < 64 ? left : 64));
    __m512i head = vector_load(s->from + left - 64);

    return _mm512_mask_permutexvar_epi8(vector_load(s->from + done),
                                        _mm512_cmpgt_epu8_mask(limit, count),
                                        index->last, head);
}

/* A sequence with others on both sides. No branch depends on where its reversed
 * part ends, which cannot be predicted. Reads up to 64 bytes before and after
 * the sequence, and writes as many after it. */
INLINE void copy_between(const struct sequence *s,
                         const struct reverse_index *index)
{
    const __m512i count = vector_count();

    for (size_t done = 0; done < s->bytes; done += index->bytes)
        vector_store(s->to + done, join(s, done, count, index));
}

/* The same for rows of which only one fits into a vector: each row is loaded
 * from where it is. */
INLINE void copy_rows_between(const struct sequence *s, size_t size)
{
    for (size_t row = 0; row < s->rows; row++) {
        size_t source = row < s->len ? s->len - 1 - row : row;

        vector_store(s->to + row * size, vector_load(s->from + source * size));
    }
}

/* The first or the last sequence: bytes before the first and after the last
 * must not be accessed. */
INLINE void copy_alone(const struct sequence *s,
                       const struct reverse_index *index)
{
    copy_plane(s->from, s->to, s->reversed, index);
    memcpy(s->to + s->reversed, s->from + s->reversed, s->bytes - s->reversed);
}

void avx512_reverse_copy_ragged(const unsigned char *from, unsigned char *to,
                                const struct ragged_rows *rows)
{
    struct reverse_index index = reverse_index_of(rows->size);
    struct sequence s = {from, to, rows->rows, 0, rows->rows * rows->size, 0};

    for (size_t i = 0; i < rows->count; i++) {
        s.len = (size_t)rows->lens[i];
        s.reversed = s.len * rows->size;
        if (i == 0 || i + 1 == rows->count || s.bytes < 64)
            copy_alone(&s, &index);
        else if (index.bytes == rows->size)
            copy_rows_between(&s, rows->size);
        else
            copy_between(&s, &index);
        s.from += s.bytes;
        s.to += s.bytes;
    }
}
