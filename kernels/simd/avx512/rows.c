#include "kernels/simd/avx512/avx512.h"

#include <immintrin.h>

#define WIDTH 64
#include "kernels/simd/columns.h"

void move_avx512_swap_rows(unsigned char *data, const struct move_rows *rows)
{
    swap_rows(data, rows);
}

void move_avx512_copy_rows(const unsigned char *from, unsigned char *to,
                           const struct move_rows *rows)
{
    copy_rows(from, to, rows);
}

/* A line in one store, not in four that have to meet again. */
void move_avx512_stream(unsigned char *to, const unsigned char *from,
                        size_t bytes, const unsigned char *ahead)
{
    for (size_t i = 0; i < bytes; i += WIDTH) {
        __builtin_prefetch(ahead + i);
        _mm512_stream_si512((void *)(to + i),
                            _mm512_loadu_si512((const void *)(from + i)));
    }
}

void move_avx512_swap_columns(unsigned char *data, const struct move_tile *tile)
{
    if (tile->size < 8)
        move_code_plain.swap_columns(data, tile);
    else
        swap_columns(data, tile);
}

/* Each sequence up to the middle of its length. */
INLINE void swap_lens(unsigned char *data, const struct move_sequences *s,
                      size_t way)
{
    const struct move_sequences all = *s;

    for (size_t i = 0; i < all.count; i++) {
        size_t len = (size_t)all.lens[i];
        unsigned char *a = data, *b = data + len * all.size;

        for (size_t row = 0; row < len / 2; row++) {
            b -= all.size;
            swap_one(a, b, all.size, way);
            a += all.size;
        }
        data += all.rows * all.size;
    }
}

/* No branch depends on where a length ends. */
INLINE void copy_lens(const unsigned char *from, unsigned char *to,
                      const struct move_sequences *s, size_t way)
{
    const struct move_sequences all = *s;

    for (size_t i = 0; i < all.count; i++) {
        size_t len = (size_t)all.lens[i];

        for (size_t row = 0; row < all.rows; row++) {
            size_t place = row < len ? len - 1 - row : row;

            copy_one(from + place * all.size, to, all.size, way);
            to += all.size;
        }
        from += all.rows * all.size;
    }
}

void move_avx512_swap_lens(unsigned char *data, const struct move_sequences *s)
{
#define ALL(way) swap_lens(data, s, way)
    IN_EACH_WAY(s->size, ALL)
#undef ALL
}

void move_avx512_copy_lens(const unsigned char *from, unsigned char *to,
                           const struct move_sequences *s)
{
#define ALL(way) copy_lens(from, to, s, way)
    IN_EACH_WAY(s->size, ALL)
#undef ALL
}
