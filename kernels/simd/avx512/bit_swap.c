/* Packed elements that are exchanged in reverse order. What stands at the end
 * of one side is taken from where it is, inside of bytes: whole bytes are made
 * of two vectors, one byte apart. */
#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/bits.h"

/* What goes to a, and to b. All that is exchanged next is read before the last
 * is written, part of which it is made of. */
struct pair {
    __m512i a, b;
};

INLINE __m512i map_at(const unsigned char *at, const struct maps *m,
                      bool shifted)
{
    __m512i x = move_mirror_load(at);

    return map(x, shifted ? move_mirror_load(at + 1) : x, m, shifted);
}

INLINE struct pair load_pair(const unsigned char *a, const unsigned char *b,
                             const struct maps *m, bool shifted)
{
    return (struct pair){map_at(b - WIDTH, m, shifted), map_at(a, m, shifted)};
}

INLINE void store_pair(unsigned char *a, unsigned char *b, struct pair pair)
{
    move_mirror_store(a, pair.a);
    move_mirror_store(b - WIDTH, pair.b);
}

/* Fewer bytes than a vector. */
INLINE __m512i map_few(const unsigned char *at, size_t bytes,
                       const struct maps *m, bool shifted)
{
    __mmask64 mask = move_mirror_mask(bytes);
    __m512i x = _mm512_maskz_loadu_epi8(mask, at);
    struct maps few = *m;

    few.order = _mm512_sub_epi8(m->order, _mm512_set1_epi8((char)(64 - bytes)));
    return map(x, shifted ? _mm512_maskz_loadu_epi8(mask, at + 1) : x, &few,
               shifted);
}

INLINE struct pair load_few(const unsigned char *a, const unsigned char *b,
                            size_t bytes, const struct maps *m, bool shifted)
{
    return (struct pair){map_few(b - bytes, bytes, m, shifted),
                         map_few(a, bytes, m, shifted)};
}

INLINE void store_few(unsigned char *a, unsigned char *b, size_t bytes,
                      struct pair pair)
{
    __mmask64 mask = move_mirror_mask(bytes);

    _mm512_mask_storeu_epi8(a, mask, pair.a);
    _mm512_mask_storeu_epi8(b - bytes, mask, pair.b);
}

/* Exchanges `left` bytes from a on with those that end at b. Both may have the
 * last one in common. */
INLINE void exchange(unsigned char *a, unsigned char *b, size_t left,
                     const struct maps *m, bool shifted)
{
    struct pair pair, next;

    if (left < WIDTH) {
        store_few(a, b, left, load_few(a, b, left, m, shifted));
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
    next = load_few(a + WIDTH, b - WIDTH, left, m, shifted);
    store_pair(a, b, pair);
    store_few(a + WIDTH, b - WIDTH, left, next);
}

void move_avx512_swap_bits(unsigned char *a, unsigned char *b, size_t bytes,
                           const struct move_bits_way *way)
{
    const struct maps m = maps_of(way);

    if (way->shift)
        exchange(a, b, bytes, &m, true);
    else
        exchange(a, b, bytes, &m, false);
}

INLINE void swap_head(unsigned char *data, const struct head *head,
                      const struct maps *whole)
{
    const struct maps m = maps_behind(whole, &head->way);
    unsigned char last = last_byte(data, head, &m);

    exchange(data, data + head->bytes, (head->bytes + 1) / 2, &m, true);
    data[head->bytes] = last;
}

static void swap_whole(unsigned char *data, size_t bytes, size_t count,
                       const struct maps *whole)
{
    for (size_t i = 0; i < count; i++, data += bytes)
        exchange(data, data + bytes, (bytes + 1) / 2, whole, false);
}

void move_avx512_swap_bit_lens(unsigned char *data,
                               const struct move_bits *packing,
                               const struct move_sequences *s)
{
    const struct move_bits_way way = {*packing, true, 0};
    const struct maps whole = maps_of(&way);
    size_t bytes = s->rows * packing->bits / 8;

    if (!s->lens) {
        swap_whole(data, bytes, s->count, &whole);
        return;
    }
    for (size_t i = 0; i < s->count; i++, data += bytes) {
        struct head head = head_of(packing, (size_t)s->lens[i]);

        swap_head(data, &head, &whole);
    }
}
