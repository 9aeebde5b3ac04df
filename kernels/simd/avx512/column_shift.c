/* A line of columns rises: row i of the result is row i + n of the rows in
 * reverse order, where n is how much shorter than the longest a column is. The
 * digits of n are added one after the other: where a digit has a bit, bytes
 * come from that many rows below. Nothing is transposed, and entries of all
 * sizes are but bytes. */
#include "kernels/simd/avx512/column_shift.h"

#include "kernels/simd/avx512/avx512.h"

#define RISE(i, n, bit) v[i] = _mm512_mask_blend_epi8(bit, v[i], v[(i) + (n)])
#define RISE4(i, n, bit)                                                       \
    RISE(i, n, bit), RISE((i) + 1, n, bit), RISE((i) + 2, n, bit),             \
        RISE((i) + 3, n, bit)
#define RISE8(i, n, bit) RISE4(i, n, bit), RISE4((i) + 4, n, bit)
#define RISE16(n, bit) RISE8(0, n, bit), RISE8(8, n, bit)

_Static_assert(MOVE_RISE_ROWS / PASS < 8, "the middle digit has three bits");

/* Rows 0 to 15 of v after rising by a digit of three bits, from rows `step`
 * bytes apart. */
INLINE void rise_near(const unsigned char *from, size_t step, __m512i *v,
                      const __mmask64 *bits)
{
    UNROLL for (size_t i = 0; i < 19; i++) v[i] = _mm512_mask_blend_epi8(
        bits[2], load_line(from + i * step), load_line(from + (i + 4) * step));
    RISE16(2, bits[1]), RISE(16, 2, bits[1]);
    RISE16(1, bits[0]);
}

/* The same by a whole digit. */
INLINE void rise_rows(const unsigned char *from, size_t step, __m512i *v,
                      const __mmask64 *bits)
{
    UNROLL for (size_t i = 0; i < 23; i++) v[i] = _mm512_mask_blend_epi8(
        bits[3], load_line(from + i * step), load_line(from + (i + 8) * step));
    RISE16(4, bits[2]), RISE(16, 4, bits[2]), RISE(17, 4, bits[2]);
    RISE(18, 4, bits[2]);
    RISE16(2, bits[1]), RISE(16, 2, bits[1]);
    RISE16(1, bits[0]);
}

/* The same for the `most` rows there are, a power of two: what would come from
 * others is not asked for. */
INLINE void rise_few(__m512i *v, const __mmask64 *bits, size_t most)
{
    if (most > 8)
        RISE8(0, 8, bits[3]), RISE8(0, 4, bits[2]), RISE4(8, 4, bits[2]);
    else if (most > 4)
        RISE4(0, 4, bits[2]);
    if (most > 8)
        RISE8(0, 2, bits[1]);
    if (most > 4)
        RISE4(most - 8, 2, bits[1]);
    RISE(most - 4, 2, bits[1]), RISE(most - 3, 2, bits[1]);
    if (most > 8)
        RISE8(0, 1, bits[0]);
    if (most > 4)
        RISE4(most - 8, 1, bits[0]);
    RISE(most - 4, 1, bits[0]), RISE(most - 3, 1, bits[0]);
    RISE(most - 2, 1, bits[0]);
}

/* Rows into the scratch, last one first; up to `most` that lie `apart`. */
INLINE void take_rows(const unsigned char *from, unsigned char *scratch,
                      const struct rise *rise, size_t step, size_t most)
{
    const size_t rows = rise->rows, apart = rise->apart;
    const __mmask64 bits[] = {rise->bits[2][0], rise->bits[2][1],
                              rise->bits[2][2], rise->bits[2][3]};

    for (size_t i = 0; i < apart && i < rows; i++) {
        size_t count = (rows - 1 - i) / apart + 1;
        size_t row = (rows - 1 - i) * step;
        unsigned char *to = scratch + i * LINE;
        __m512i v[DIGIT];

        UNROLL for (size_t j = 0; j < most; j++)
        {
            v[j] = _mm512_setzero_si512();
            if (j < count)
                v[j] = load_line(from + row);
            row -= apart * step;
        }
        rise_few(v, bits, most);
        UNROLL for (size_t j = 0; j < most; j++)
        {
            if (j < count)
                store_line(to, v[j]);
            to += j + 1 < most ? apart * LINE : 0;
        }
    }
}

static void take(const unsigned char *from, unsigned char *scratch,
                 const struct rise *rise, size_t step)
{
    if (rise->rows <= 4 * rise->apart)
        take_rows(from, scratch, rise, step, 4);
    else if (rise->rows <= 8 * rise->apart)
        take_rows(from, scratch, rise, step, 8);
    else
        take_rows(from, scratch, rise, step, DIGIT);
}

INLINE void rise_block(unsigned char *scratch, const struct rise *rise)
{
    const size_t apart = (size_t)DIGIT * LINE;

    for (size_t i = 0; i < DIGIT; i++) {
        unsigned char *row = scratch + i * LINE;
        __m512i v[DIGIT + 3];

        rise_near(row, apart, v, rise->bits[1]);
        UNROLL for (size_t j = 0; j < DIGIT; j++)
            store_line(row + j * apart, v[j]);
    }
}

/* Puts DIGIT rows of the result together. `place`: the row's of what is
 * counted by `left`. */
INLINE void put(const unsigned char *scratch, const unsigned char *from,
                unsigned char *to, size_t step, const __mmask64 *bits,
                __m512i left, __m512i place)
{
    __m512i v[DIGIT + 7];

    rise_rows(scratch, LINE, v, bits);
    UNROLL for (size_t j = 0; j < DIGIT; j++)
    {
        __mmask64 moved = _mm512_cmpgt_epu8_mask(left, place);

        store_line(to, _mm512_mask_blend_epi8(moved, load_line(from), v[j]));
        place = _mm512_add_epi8(place, _mm512_set1_epi8(1));
        from += j + 1 < DIGIT ? step : 0;
        to += j + 1 < DIGIT ? step : 0;
    }
}

/* The last block ends where the rows do: what it repeats comes out the same. */
INLINE size_t next_block(size_t at, size_t rows)
{
    if (at + DIGIT >= rows)
        return rows;
    return at + DIGIT + DIGIT <= rows ? at + DIGIT : rows - DIGIT;
}

/* `near`: there is no middle digit. */
INLINE void put_rows(unsigned char *scratch, const unsigned char *from,
                     unsigned char *to, const struct rise *rise, size_t step,
                     size_t size, bool near)
{
    const __mmask64 bits[] = {rise->bits[0][0], rise->bits[0][1],
                              rise->bits[0][2], rise->bits[0][3]};
    size_t window = 0, risen = 0;
    __m512i left = find_left(rise, 0, size);

    for (size_t t = 0; t < rise->rows; t = next_block(t, rise->rows)) {
        for (; !near && risen < t + DIGIT + DIGIT && risen < rise->rows;
             risen += PASS)
            rise_block(scratch + risen * LINE, rise);
        if (t - window > WINDOW) {
            window = t;
            left = find_left(rise, t, size);
        }
        put(scratch + t * LINE, from + t * step, to + t * step, step, bits,
            left, _mm512_set1_epi8((char)(t - window)));
    }
}

INLINE void move_sized(const unsigned char *from, unsigned char *to,
                       unsigned char *scratch, const struct move_rise *line,
                       size_t size)
{
    const size_t step = line->step;
    struct rise rise;

    find_rise(&rise, line, size);
    take(from, scratch, &rise, step);
    if (rise.apart == DIGIT)
        put_rows(scratch, from, to, &rise, step, size, true);
    else
        put_rows(scratch, from, to, &rise, step, size, false);
    for (size_t t = rise.rows; t < line->rows && from != to; t++)
        store_line(to + t * step, load_line(from + t * step));
}

void move_avx512_rise(const unsigned char *from, unsigned char *to,
                      unsigned char *scratch, const struct move_rise *line)
{
    switch (line->size) {
    case 1:
        move_sized(from, to, scratch, line, 1);
        break;
    case 2:
        move_sized(from, to, scratch, line, 2);
        break;
    case 4:
        move_sized(from, to, scratch, line, 4);
        break;
    default:
        move_sized(from, to, scratch, line, 8);
    }
}
