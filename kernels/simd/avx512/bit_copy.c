/* Copies sequences of packed elements whose first elements are reversed. Each
 * sequence starts with a byte; its reversed part, the head, ends anywhere. */
#include <string.h>

#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/bit_maps.h"

/* Reads a head backwards from its end. Loads are aligned to cache lines: a load
 * that crosses a line costs twice, and two loads a byte apart would cross
 * lines too. */
struct line_reader {
    const unsigned char *at; /* the line read last */
    __m512i last;            /* its content */
    __m512i index, next;     /* positions of bytes, and of the bytes after them,
                              * in two adjacent lines */
    struct bit_maps maps;
};

INLINE struct line_reader reader_at(const unsigned char *end,
                                    const struct bit_maps *m)
{
    size_t inside = (uintptr_t)end % WIDTH;
    __m512i index = _mm512_add_epi8(m->index, _mm512_set1_epi8((char)inside));

    return (struct line_reader){
        .at = end - inside,
        .last = vector_load(end - inside),
        .index = index,
        .next = _mm512_add_epi8(index, _mm512_set1_epi8(1)),
        .maps = *m,
    };
}

INLINE __m512i read_vector(struct line_reader *r)
{
    __m512i line = vector_load(r->at -= WIDTH);
    __m512i x = _mm512_permutex2var_epi8(line, r->index, r->last);
    __m512i y = _mm512_permutex2var_epi8(line, r->next, r->last);

    r->last = line;
    return bit_maps_combine(x, y, &r->maps);
}

/* A sequence with others on both sides. Reads up to 128 bytes before it and 64
 * after it, and writes up to 64 bytes after it. */
INLINE void copy_between(const unsigned char *from, unsigned char *to,
                         size_t bytes, const struct bits_head *head,
                         const struct bit_maps *whole)
{
    const struct bit_maps m = bit_maps_shifted(whole, &head->transfer);
    struct line_reader reader = reader_at(from + head->bytes, &m);
    __mmask64 rest = vector_mask(head->bytes % WIDTH);
    size_t done = 0;

    for (; done + WIDTH <= head->bytes; done += WIDTH)
        vector_store(to + done, read_vector(&reader));
    vector_store(to + done, _mm512_mask_mov_epi8(vector_load(from + done), rest,
                                                 read_vector(&reader)));
    for (done += WIDTH; done < bytes; done += WIDTH)
        vector_store(to + done, vector_load(from + done));
    to[head->bytes] = bits_head_last_byte(from, head, &m);
}

/* The first or the last sequence: bytes before the first and after the last
 * must not be accessed. */
INLINE void copy_alone(const unsigned char *from, unsigned char *to,
                       size_t bytes, const struct bits_head *head,
                       const struct bit_maps *whole)
{
    const struct bit_maps m = bit_maps_shifted(whole, &head->transfer);
    size_t done = head->bytes + 1;

    avx512_bits_copy(from, to, head->bytes, &head->transfer);
    to[head->bytes] = bits_head_last_byte(from, head, &m);
    memcpy(to + done, from + done, bytes - done);
}

static void copy_heads(const unsigned char *from, unsigned char *to,
                       const struct element_format *format,
                       const struct ragged_rows *rows,
                       const struct bit_maps *whole)
{
    size_t bytes = rows->rows * format->bits / 8;

    for (size_t i = 0; i < rows->count; i++, from += bytes, to += bytes) {
        struct bits_head head = bits_head_of(format, (size_t)rows->lens[i]);

        if (i == 0 || i + 1 == rows->count || bytes < 2 * (size_t)WIDTH)
            copy_alone(from, to, bytes, &head, whole);
        else
            copy_between(from, to, bytes, &head, whole);
    }
}

void avx512_bit_copy_ragged(const unsigned char *from, unsigned char *to,
                            const struct element_format *format,
                            const struct ragged_rows *rows)
{
    const struct bit_transfer t = {*format, true, 0};
    const struct bit_maps whole = bit_maps_of(&t);
    size_t bytes = rows->rows * format->bits / 8;

    if (rows->lens) {
        copy_heads(from, to, format, rows, &whole);
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        avx512_bits_copy(from + i * bytes, to + i * bytes, bytes, &t);
}
