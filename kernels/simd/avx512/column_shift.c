/* Per-column barrel shifter. Reversing the first len[c] rows of column c is the
 * same as reversing all R rows and shifting column c up by R - len[c]. The
 * shift is applied one digit at a time and one bit of a digit at a time, with
 * masked blends. Nothing is transposed; entries of every size are treated as
 * bytes. */
#include <stdbool.h>

#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/column_digits.h"

/* Shifts row i of v, or 4, 8 or 16 rows from i on, up by n rows in the columns
 * of the mask `bit`. */
#define SHIFT(i, n, bit) v[i] = _mm512_mask_blend_epi8(bit, v[i], v[(i) + (n)])
#define SHIFT4(i, n, bit)                                                      \
    SHIFT(i, n, bit), SHIFT((i) + 1, n, bit), SHIFT((i) + 2, n, bit),          \
        SHIFT((i) + 3, n, bit)
#define SHIFT8(i, n, bit) SHIFT4(i, n, bit), SHIFT4((i) + 4, n, bit)
#define SHIFT16(n, bit) SHIFT8(0, n, bit), SHIFT8(8, n, bit)

_Static_assert(COLUMN_SHIFT_MAX_ROWS / PASS < 8, "digit 1 has three bits");

/* Loads rows that lie `step` bytes apart and shifts them by a digit of three
 * bits. Rows 0 to 15 of v are the result. */
INLINE void shift_by_three_bits(const unsigned char *from, size_t step,
                                __m512i *v, const __mmask64 *bits)
{
    UNROLL for (size_t i = 0; i < 19; i++) v[i] =
        _mm512_mask_blend_epi8(bits[2], vector_load(from + i * step),
                               vector_load(from + (i + 4) * step));
    SHIFT16(2, bits[1]), SHIFT(16, 2, bits[1]);
    SHIFT16(1, bits[0]);
}

/* The same by a digit of four bits. */
INLINE void shift_by_four_bits(const unsigned char *from, size_t step,
                               __m512i *v, const __mmask64 *bits)
{
    UNROLL for (size_t i = 0; i < 23; i++) v[i] =
        _mm512_mask_blend_epi8(bits[3], vector_load(from + i * step),
                               vector_load(from + (i + 8) * step));
    SHIFT16(4, bits[2]), SHIFT(16, 4, bits[2]), SHIFT(17, 4, bits[2]);
    SHIFT(18, 4, bits[2]);
    SHIFT16(2, bits[1]), SHIFT(16, 2, bits[1]);
    SHIFT16(1, bits[0]);
}

/* The same by a digit of at most `count` - 1, within `count` rows: 4, 8 or 16.
 * No row after them is read. */
INLINE void shift_few(__m512i *v, const __mmask64 *bits, size_t count)
{
    if (count > 8)
        SHIFT8(0, 8, bits[3]), SHIFT8(0, 4, bits[2]), SHIFT4(8, 4, bits[2]);
    else if (count > 4)
        SHIFT4(0, 4, bits[2]);
    if (count > 8)
        SHIFT8(0, 2, bits[1]);
    if (count > 4)
        SHIFT4(count - 8, 2, bits[1]);
    SHIFT(count - 4, 2, bits[1]), SHIFT(count - 3, 2, bits[1]);
    if (count > 8)
        SHIFT8(0, 1, bits[0]);
    if (count > 4)
        SHIFT4(count - 8, 1, bits[0]);
    SHIFT(count - 4, 1, bits[0]), SHIFT(count - 3, 1, bits[0]);
    SHIFT(count - 2, 1, bits[0]);
}

/* Loads the rows in reverse order, shifted by digit 2. At most `most` rows are
 * a stride apart. */
INLINE void load_rows(const unsigned char *from, unsigned char *scratch,
                      const struct column_digits *d, size_t step, size_t most)
{
    const size_t rows = d->rows, stride = d->stride;
    const __mmask64 bits[] = {d->bits[2][0], d->bits[2][1], d->bits[2][2],
                              d->bits[2][3]};

    for (size_t i = 0; i < stride && i < rows; i++) {
        size_t count = (rows - 1 - i) / stride + 1;
        size_t row = (rows - 1 - i) * step;
        unsigned char *to = scratch + i * LINE;
        __m512i v[RADIX];

        UNROLL for (size_t j = 0; j < most; j++)
        {
            v[j] = _mm512_setzero_si512();
            if (j < count)
                v[j] = vector_load(from + row);
            row -= stride * step;
        }
        shift_few(v, bits, most);
        UNROLL for (size_t j = 0; j < most; j++)
        {
            if (j < count)
                vector_store(to, v[j]);
            to += j + 1 < most ? stride * LINE : 0;
        }
    }
}

static void load(const unsigned char *from, unsigned char *scratch,
                 const struct column_digits *d, size_t step)
{
    if (d->rows <= 4 * d->stride)
        load_rows(from, scratch, d, step, 4);
    else if (d->rows <= 8 * d->stride)
        load_rows(from, scratch, d, step, 8);
    else
        load_rows(from, scratch, d, step, RADIX);
}

/* Shifts PASS rows of the scratch memory by digit 1. */
INLINE void shift_pass(unsigned char *scratch, const struct column_digits *d)
{
    const size_t stride = (size_t)RADIX * LINE;

    for (size_t i = 0; i < RADIX; i++) {
        unsigned char *row = scratch + i * LINE;
        __m512i v[RADIX + 3];

        shift_by_three_bits(row, stride, v, d->bits[1]);
        UNROLL for (size_t j = 0; j < RADIX; j++)
            vector_store(row + j * stride, v[j]);
    }
}

/* RADIX rows of the result. */
struct result_rows {
    const unsigned char *from; /* the same rows of the source */
    unsigned char *to;
    size_t step;  /* bytes from one row to the next, of both */
    __m512i left; /* entries that are reversed, counted from row 0 of `row` */
    __m512i row;  /* number of the first row, at every byte */
};

/* Shifts by digit 0 and stores; the entries that stay come from the source. */
INLINE void store_rows(const unsigned char *scratch, struct result_rows r,
                       const __mmask64 *bits)
{
    __m512i v[RADIX + 7];

    shift_by_four_bits(scratch, LINE, v, bits);
    UNROLL for (size_t j = 0; j < RADIX; j++)
    {
        __mmask64 moved = _mm512_cmpgt_epu8_mask(r.left, r.row);

        vector_store(r.to,
                     _mm512_mask_blend_epi8(moved, vector_load(r.from), v[j]));
        r.row = _mm512_add_epi8(r.row, _mm512_set1_epi8(1));
        r.from += j + 1 < RADIX ? r.step : 0;
        r.to += j + 1 < RADIX ? r.step : 0;
    }
}

/* The last block ends where the rows end, so it may repeat rows of the block
 * before; their result is the same. */
INLINE size_t next_block(size_t at, size_t rows)
{
    if (at + RADIX >= rows)
        return rows;
    return at + RADIX + RADIX <= rows ? at + RADIX : rows - RADIX;
}

/* Makes the result from the scratch memory. `near`: digit 1 is 0 throughout. */
INLINE void store(unsigned char *scratch, struct result_rows r,
                  const struct column_digits *d, size_t size, bool near)
{
    const __mmask64 bits[] = {d->bits[0][0], d->bits[0][1], d->bits[0][2],
                              d->bits[0][3]};
    const unsigned char *from = r.from;
    unsigned char *to = r.to;
    size_t window = 0, passed = 0;

    r.left = column_digits_left(d, 0, size);
    for (size_t t = 0; t < d->rows; t = next_block(t, d->rows)) {
        for (; !near && passed < t + RADIX + RADIX && passed < d->rows;
             passed += PASS)
            shift_pass(scratch + passed * LINE, d);
        if (t - window > WINDOW) {
            window = t;
            r.left = column_digits_left(d, t, size);
        }
        r.from = from + t * r.step;
        r.to = to + t * r.step;
        r.row = _mm512_set1_epi8((char)(t - window));
        store_rows(scratch + t * LINE, r, bits);
    }
}

INLINE void shift_columns(const unsigned char *from, unsigned char *to,
                          unsigned char *scratch, const struct column_shift *c,
                          size_t size)
{
    const struct result_rows r = {.from = from, .to = to, .step = c->step};
    struct column_digits d;

    column_digits_init(&d, c, size);
    load(from, scratch, &d, r.step);
    if (d.stride == RADIX)
        store(scratch, r, &d, size, true);
    else
        store(scratch, r, &d, size, false);
    for (size_t t = d.rows; t < c->rows && from != to; t++)
        vector_store(to + t * r.step, vector_load(from + t * r.step));
}

void avx512_column_shift(const unsigned char *from, unsigned char *to,
                         unsigned char *scratch, const struct column_shift *c)
{
    switch (c->size) {
    case 1:
        shift_columns(from, to, scratch, c, 1);
        break;
    case 2:
        shift_columns(from, to, scratch, c, 2);
        break;
    case 4:
        shift_columns(from, to, scratch, c, 4);
        break;
    default:
        shift_columns(from, to, scratch, c, 8);
    }
}
