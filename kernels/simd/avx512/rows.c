#include <immintrin.h>

#include "kernels/simd/avx512/avx512.h"

#define WIDTH 64
#include "kernels/simd/rows_template.h"

void avx512_rows_swap(unsigned char *data, const struct strided_rows *rows)
{
    swap_rows(data, rows);
}

void avx512_rows_copy(const unsigned char *from, unsigned char *to,
                      const struct strided_rows *rows)
{
    copy_rows(from, to, rows);
}

/* One store a cache line, so that the line need not be assembled of parts. */
void avx512_nontemporal_copy(unsigned char *to, const unsigned char *from,
                             size_t bytes, const unsigned char *prefetch)
{
    for (size_t i = 0; i < bytes; i += WIDTH) {
        __builtin_prefetch(prefetch + i);
        _mm512_stream_si512((void *)(to + i),
                            _mm512_loadu_si512((const void *)(from + i)));
    }
}

/* Exchanges rows up to the middle of each length. */
INLINE void swap_ragged(unsigned char *data, const struct ragged_rows *rows,
                        size_t size_class)
{
    const struct ragged_rows r = *rows;

    for (size_t i = 0; i < r.count; i++) {
        size_t len = (size_t)r.lens[i];
        unsigned char *a = data, *b = data + len * r.size;

        for (size_t row = 0; row < len / 2; row++) {
            b -= r.size;
            swap_one(a, b, r.size, size_class);
            a += r.size;
        }
        data += r.rows * r.size;
    }
}

/* No branch depends on a length. */
INLINE void copy_ragged(const unsigned char *from, unsigned char *to,
                        const struct ragged_rows *rows, size_t size_class)
{
    const struct ragged_rows r = *rows;

    for (size_t i = 0; i < r.count; i++) {
        size_t len = (size_t)r.lens[i];

        for (size_t row = 0; row < r.rows; row++) {
            size_t source = row < len ? len - 1 - row : row;

            copy_one(from + source * r.size, to, r.size, size_class);
            to += r.size;
        }
        from += r.rows * r.size;
    }
}

void avx512_rows_swap_ragged(unsigned char *data,
                             const struct ragged_rows *rows)
{
#define CALL(size_class) swap_ragged(data, rows, size_class)
    FOR_SIZE_CLASS(rows->size, CALL)
#undef CALL
}

void avx512_rows_copy_ragged(const unsigned char *from, unsigned char *to,
                             const struct ragged_rows *rows)
{
#define CALL(size_class) copy_ragged(from, to, rows, size_class)
    FOR_SIZE_CLASS(rows->size, CALL)
#undef CALL
}
