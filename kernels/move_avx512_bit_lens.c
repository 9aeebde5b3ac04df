/* Sequences of packed elements that start with a byte, and end anywhere. What
 * stands at the end of one is taken from where it is, inside of bytes: whole
 * bytes are made of two vectors, one byte apart. The last byte, of which 1 to 8
 * bits are reversed, is made by itself. */
#include <string.h>

#include "kernels/move_avx512.h"
#include "kernels/move_avx512_bits.h"

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

/* The first elements of a sequence: so many bytes, and some of one more. */
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

/* A head in whole lines, from its end on: loads that are part of two lines cost
 * twice, and it takes as many that are a byte apart. */
struct lines {
    const unsigned char *at;
    __m512i last;         /* what is there */
    __m512i here, behind; /* where the bytes are in the line before and this */
    struct maps maps;
};

INLINE struct lines lines_of(const unsigned char *end, const struct maps *m)
{
    size_t inside = (uintptr_t)end % WIDTH;
    __m512i here = _mm512_add_epi8(m->order, _mm512_set1_epi8((char)inside));

    return (struct lines){
        .at = end - inside,
        .last = move_mirror_load(end - inside),
        .here = here,
        .behind = _mm512_add_epi8(here, _mm512_set1_epi8(1)),
        .maps = *m,
    };
}

INLINE __m512i next_vector(struct lines *l)
{
    __m512i line = move_mirror_load(l->at -= WIDTH);
    __m512i x = _mm512_permutex2var_epi8(line, l->here, l->last);
    __m512i y = _mm512_permutex2var_epi8(line, l->behind, l->last);

    l->last = line;
    return affine(x, y, &l->maps);
}

/* Reads up to 128 bytes before and 64 behind, and writes as many behind. */
INLINE void copy_between(const unsigned char *from, unsigned char *to,
                         size_t bytes, const struct head *head,
                         const struct maps *whole)
{
    const struct maps m = maps_behind(whole, &head->way);
    struct lines lines = lines_of(from + head->bytes, &m);
    __mmask64 rest = move_mirror_mask(head->bytes % WIDTH);
    size_t done = 0;

    for (; done + WIDTH <= head->bytes; done += WIDTH)
        move_mirror_store(to + done, next_vector(&lines));
    move_mirror_store(to + done,
                      _mm512_mask_mov_epi8(move_mirror_load(from + done), rest,
                                           next_vector(&lines)));
    for (done += WIDTH; done < bytes; done += WIDTH)
        move_mirror_store(to + done, move_mirror_load(from + done));
    to[head->bytes] = last_byte(from, head, &m);
}

/* The first and the last, beside which nothing may be touched. */
INLINE void copy_alone(const unsigned char *from, unsigned char *to,
                       size_t bytes, const struct head *head,
                       const struct maps *whole)
{
    const struct maps m = maps_behind(whole, &head->way);
    size_t done = head->bytes + 1;

    move_avx512_bits(from, to, head->bytes, &head->way);
    to[head->bytes] = last_byte(from, head, &m);
    memcpy(to + done, from + done, bytes - done);
}

static void copy_heads(const unsigned char *from, unsigned char *to,
                       const struct move_bits *packing,
                       const struct move_sequences *s, const struct maps *whole)
{
    size_t bytes = s->rows * packing->bits / 8;

    for (size_t i = 0; i < s->count; i++, from += bytes, to += bytes) {
        struct head head = head_of(packing, (size_t)s->lens[i]);

        if (i == 0 || i + 1 == s->count || bytes < 2 * (size_t)WIDTH)
            copy_alone(from, to, bytes, &head, whole);
        else
            copy_between(from, to, bytes, &head, whole);
    }
}

void move_avx512_copy_bit_lens(const unsigned char *from, unsigned char *to,
                               const struct move_bits *packing,
                               const struct move_sequences *s)
{
    const struct move_bits_way way = {*packing, true, 0};
    const struct maps whole = maps_of(&way);
    size_t bytes = s->rows * packing->bits / 8;

    if (s->lens) {
        copy_heads(from, to, packing, s, &whole);
        return;
    }
    for (size_t i = 0; i < s->count; i++)
        move_avx512_bits(from + i * bytes, to + i * bytes, bytes, &way);
}
