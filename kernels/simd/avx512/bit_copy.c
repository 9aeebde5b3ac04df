/* Packed elements that are copied in reverse order, in sequences that start
 * with a byte and end anywhere. */
#include <string.h>

#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/bits.h"

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
