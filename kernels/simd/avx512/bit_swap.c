/* Exchanges packed elements in reverse order. One side may end inside a byte:
 * its bytes are then combined from two loads, one byte apart. */
#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/bit_maps.h"

/* The results for both sides. Everything that is exchanged next is loaded
 * before the last pair is stored, because it needs some of the same bytes. */
struct pair {
    __m512i a, b;
};

INLINE __m512i load(const unsigned char *at, const struct bit_maps *m,
                    bool shifted)
{
    __m512i x = vector_load(at);

    return bit_maps_apply(x, shifted ? vector_load(at + 1) : x, m, shifted);
}

INLINE struct pair load_pair(const unsigned char *a, const unsigned char *b,
                             const struct bit_maps *m, bool shifted)
{
    return (struct pair){load(b - WIDTH, m, shifted), load(a, m, shifted)};
}

INLINE void store_pair(unsigned char *a, unsigned char *b, struct pair pair)
{
    vector_store(a, pair.a);
    vector_store(b - WIDTH, pair.b);
}

/* Fewer bytes than a vector. */
INLINE __m512i load_few(const unsigned char *at, size_t bytes,
                        const struct bit_maps *m, bool shifted)
{
    __mmask64 mask = vector_mask(bytes);
    __m512i x = _mm512_maskz_loadu_epi8(mask, at);
    struct bit_maps few = *m;

    few.index = _mm512_sub_epi8(m->index, _mm512_set1_epi8((char)(64 - bytes)));
    return bit_maps_apply(
        x, shifted ? _mm512_maskz_loadu_epi8(mask, at + 1) : x, &few, shifted);
}

INLINE struct pair load_few_pairs(const unsigned char *a,
                                  const unsigned char *b, size_t bytes,
                                  const struct bit_maps *m, bool shifted)
{
    return (struct pair){load_few(b - bytes, bytes, m, shifted),
                         load_few(a, bytes, m, shifted)};
}

INLINE void store_few_pairs(unsigned char *a, unsigned char *b, size_t bytes,
                            struct pair pair)
{
    __mmask64 mask = vector_mask(bytes);

    _mm512_mask_storeu_epi8(a, mask, pair.a);
    _mm512_mask_storeu_epi8(b - bytes, mask, pair.b);
}

/* Exchanges `left` bytes from a on with those that end at b. The last byte of
 * both sides may be the same one. */
INLINE void exchange(unsigned char *a, unsigned char *b, size_t left,
                     const struct bit_maps *m, bool shifted)
{
    struct pair pair, next;

    if (left < WIDTH) {
        store_few_pairs(a, b, left, load_few_pairs(a, b, left, m, shifted));
        return;
    }
    pair = load_pair(a, b, m, shifted);
    for (; left - WIDTH >= WIDTH; left -= WIDTH) {
        next = load_pair(a + WIDTH, b - WIDTH, m, shifted);
        store_pair(a, b, pair);
        pair = next;
        a += WIDTH;
        b -= WIDTH;
    }
    left -= WIDTH;
    next = load_few_pairs(a + WIDTH, b - WIDTH, left, m, shifted);
    store_pair(a, b, pair);
    store_few_pairs(a + WIDTH, b - WIDTH, left, next);
}

void avx512_bit_swap_span(unsigned char *a, unsigned char *b, size_t bytes,
                          const struct bit_transfer *t)
{
    const struct bit_maps m = bit_maps_of(t);

    if (t->shift)
        exchange(a, b, bytes, &m, true);
    else
        exchange(a, b, bytes, &m, false);
}

INLINE void swap_head(unsigned char *data, const struct bits_head *head,
                      const struct bit_maps *whole)
{
    const struct bit_maps m = bit_maps_shifted(whole, &head->transfer);
    unsigned char last = bits_head_last_byte(data, head, &m);

    exchange(data, data + head->bytes, (head->bytes + 1) / 2, &m, true);
    data[head->bytes] = last;
}

static void swap_whole(unsigned char *data, size_t bytes, size_t count,
                       const struct bit_maps *whole)
{
    for (size_t i = 0; i < count; i++, data += bytes)
        exchange(data, data + bytes, (bytes + 1) / 2, whole, false);
}

void avx512_bit_swap_ragged(unsigned char *data,
                            const struct element_format *format,
                            const struct ragged_rows *rows)
{
    const struct bit_transfer t = {*format, true, 0};
    const struct bit_maps whole = bit_maps_of(&t);
    size_t bytes = rows->rows * format->bits / 8;

    if (!rows->lens) {
        swap_whole(data, bytes, rows->count, &whole);
        return;
    }
    for (size_t i = 0; i < rows->count; i++, data += bytes) {
        struct bits_head head = bits_head_of(format, (size_t)rows->lens[i]);

        swap_head(data, &head, &whole);
    }
}
