#include "kernels/move/bits.h"

#include "kernels/move/bits_span.h"

/* 8, 4 or 2 elements of 1, 2 or 4 bits make a byte; as shifts, because a
 * division for each element costs more than all the rest. */
static unsigned byte_shift(const struct move_bits *packing)
{
    return 3 - packing->bits / 2;
}

/* How far the element lies above the byte's lowest bit. */
static unsigned shift_of(const struct move_bits *packing, size_t index)
{
    unsigned place = (unsigned)index * packing->bits & 7u;

    return packing->high_first ? 8 - packing->bits - place : place;
}

unsigned move_bits_get(const struct move_bits *packing,
                       const unsigned char *data, size_t index)
{
    unsigned byte = data[index >> byte_shift(packing)];

    return byte >> shift_of(packing, index) & ((1u << packing->bits) - 1);
}

void move_bits_set(const struct move_bits *packing, unsigned char *data,
                   size_t index, unsigned value)
{
    unsigned char *byte = &data[index >> byte_shift(packing)];
    unsigned shift = shift_of(packing, index);
    unsigned mask = ((1u << packing->bits) - 1) << shift;

    *byte = (unsigned char)((*byte & ~mask) | (value << shift & mask));
}

static void swap_row(const struct move_bits *packing, unsigned char *data,
                     size_t a, size_t b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned x = move_bits_get(packing, data, a + i);
        unsigned y = move_bits_get(packing, data, b + i);

        move_bits_set(packing, data, a + i, y);
        move_bits_set(packing, data, b + i, x);
    }
}

static void copy_row(const struct move_bits *packing, const unsigned char *from,
                     unsigned char *to, size_t a, size_t b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        move_bits_set(packing, to, a + i, move_bits_get(packing, from, b + i));
}

/* Spans from this many elements on go by whole bytes. */
enum { LEAST_SPAN = 8 };

/* The spans of a span of single elements in reverse order. */
static bool find_spans(const struct move_rows *rows, struct move_bits_span *a,
                       struct move_bits_span *b)
{
    *a = (struct move_bits_span){rows->a, rows->count};
    *b = (struct move_bits_span){rows->b + 1 - rows->count, rows->count};
    return rows->size == 1 && rows->a_step == 1 && rows->b_step == -1 &&
           rows->count >= LEAST_SPAN;
}

/* The spans that row i is on both sides. */
static void find_row(const struct move_rows *rows, ptrdiff_t i,
                     struct move_bits_span *a, struct move_bits_span *b)
{
    a->first = (size_t)((ptrdiff_t)rows->a + i * rows->a_step);
    b->first = (size_t)((ptrdiff_t)rows->b + i * rows->b_step);
    a->count = b->count = rows->size;
}

static void swap_plane(const struct move_code *code,
                       const struct move_bits *packing, unsigned char *data,
                       const struct move_rows *rows)
{
    struct move_bits_way way = {.packing = *packing};
    struct move_bits_span a, b;

    way.reverse = find_spans(rows, &a, &b);
    if (way.reverse) {
        move_bits_span_swap(code, &way, data, a, b);
        return;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows->count; i++) {
        find_row(rows, i, &a, &b);
        if (rows->size >= LEAST_SPAN)
            move_bits_span_swap(code, &way, data, a, b);
        else
            swap_row(packing, data, a.first, b.first, rows->size);
    }
}

static void copy_plane(const struct move_code *code,
                       const struct move_bits *packing,
                       const unsigned char *from, unsigned char *to,
                       const struct move_rows *rows)
{
    struct move_bits_way way = {.packing = *packing};
    struct move_bits_span a, b;

    way.reverse = find_spans(rows, &a, &b);
    if (way.reverse) {
        move_bits_span_copy(code, &way, from, to, a, b);
        return;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows->count; i++) {
        find_row(rows, i, &a, &b);
        if (rows->size >= LEAST_SPAN)
            move_bits_span_copy(code, &way, from, to, a, b);
        else
            copy_row(packing, from, to, a.first, b.first, rows->size);
    }
}

/* Whether planes next to each other are exchanged with themselves, the last
 * element first: each is a sequence that starts with a byte. */
static bool find_sequences(const struct move_bits *packing,
                           const struct move_rows *rows,
                           struct move_sequences *s)
{
    size_t rest = (rows->a | rows->plane_step) * packing->bits % 8;

    *s = (struct move_sequences){
        .size = 1, .rows = rows->plane_step, .count = rows->planes};
    return rows->planes > 1 && rows->size == 1 && rows->a_step == 1 &&
           rows->b_step == -1 && rows->b - rows->a + 1 == rows->plane_step &&
           rest == 0;
}

/* Calls for each plane in turn. */
void move_bits_swap(const struct move_code *code,
                    const struct move_bits *packing, unsigned char *data,
                    const struct move_rows *rows)
{
    struct move_rows plane = *rows;
    struct move_sequences s;

    if (code->swap_bit_lens && find_sequences(packing, rows, &s)) {
        code->swap_bit_lens(data + rows->a * packing->bits / 8, packing, &s);
        return;
    }
    for (size_t i = 0; i < rows->planes; i++) {
        swap_plane(code, packing, data, &plane);
        plane.a += rows->plane_step;
        plane.b += rows->plane_step;
    }
}

void move_bits_copy(const struct move_code *code,
                    const struct move_bits *packing, const unsigned char *from,
                    unsigned char *to, const struct move_rows *rows)
{
    struct move_rows plane = *rows;
    struct move_sequences s;

    if (code->copy_bit_lens && find_sequences(packing, rows, &s)) {
        size_t at = rows->a * packing->bits / 8;

        code->copy_bit_lens(from + at, to + at, packing, &s);
        return;
    }
    for (size_t i = 0; i < rows->planes; i++) {
        copy_plane(code, packing, from, to, &plane);
        plane.a += rows->plane_step;
        plane.b += rows->plane_step;
    }
}
