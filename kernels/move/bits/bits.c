#include "kernels/move/bits/bits.h"

#include "kernels/move/bits/bits_span.h"

/* The elements of a byte as a shift: 8, 4 or 2 elements of 1, 2 or 4 bits. A
 * division for each element would cost more than all the rest. */
static unsigned byte_shift(const struct element_format *format)
{
    return 3 - format->bits / 2;
}

/* How far the element lies above the byte's lowest bit. */
static unsigned shift_of(const struct element_format *format, size_t index)
{
    unsigned bit = (unsigned)index * format->bits & 7u;

    return format->high_first ? 8 - format->bits - bit : bit;
}

static unsigned get(const struct element_format *format,
                    const unsigned char *data, size_t index)
{
    unsigned byte = data[index >> byte_shift(format)];

    return byte >> shift_of(format, index) & ((1u << format->bits) - 1);
}

/* Writes element `index` and no other bit. */
static void set(const struct element_format *format, unsigned char *data,
                size_t index, unsigned value)
{
    unsigned char *byte = &data[index >> byte_shift(format)];
    unsigned shift = shift_of(format, index);
    unsigned mask = ((1u << format->bits) - 1) << shift;

    *byte = (unsigned char)((*byte & ~mask) | (value << shift & mask));
}

static void swap_elements(const struct element_format *format,
                          unsigned char *data, struct bit_span a,
                          struct bit_span b)
{
    for (size_t i = 0; i < a.count; i++) {
        unsigned x = get(format, data, a.first + i);
        unsigned y = get(format, data, b.first + i);

        set(format, data, a.first + i, y);
        set(format, data, b.first + i, x);
    }
}

static void copy_elements(const struct element_format *format,
                          const unsigned char *from, unsigned char *to,
                          struct bit_span a, struct bit_span b)
{
    for (size_t i = 0; i < a.count; i++)
        set(format, to, a.first + i, get(format, from, b.first + i));
}

/* Spans of this many elements or more are moved by whole bytes. */
enum { LEAST_SPAN = 8 };

/* True if the rows are single elements that are reversed: then each side is one
 * span. */
static bool find_spans(const struct strided_rows *rows, struct bit_span *a,
                       struct bit_span *b)
{
    *a = (struct bit_span){rows->a, rows->count};
    *b = (struct bit_span){rows->b + 1 - rows->count, rows->count};
    return rows->size == 1 && strided_rows_reversed(rows) &&
           rows->count >= LEAST_SPAN;
}

/* The spans of row i on both sides. */
static void find_row(const struct strided_rows *rows, ptrdiff_t i,
                     struct bit_span *a, struct bit_span *b)
{
    a->first = (size_t)((ptrdiff_t)rows->a + i * rows->a_step);
    b->first = (size_t)((ptrdiff_t)rows->b + i * rows->b_step);
    a->count = b->count = rows->size;
}

static void swap_plane(struct bit_mover *mover, unsigned char *data,
                       const struct strided_rows *rows)
{
    struct bit_span a, b;

    mover->transfer.reverse = find_spans(rows, &a, &b);
    if (mover->transfer.reverse) {
        bits_span_swap(mover, data, a, b);
        return;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows->count; i++) {
        find_row(rows, i, &a, &b);
        if (rows->size >= LEAST_SPAN)
            bits_span_swap(mover, data, a, b);
        else
            swap_elements(&mover->transfer.format, data, a, b);
    }
}

static void copy_plane(struct bit_mover *mover, const unsigned char *from,
                       unsigned char *to, const struct strided_rows *rows)
{
    struct bit_span a, b;

    mover->transfer.reverse = find_spans(rows, &a, &b);
    if (mover->transfer.reverse) {
        bits_span_copy(mover, from, to, a, b);
        return;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows->count; i++) {
        find_row(rows, i, &a, &b);
        if (rows->size >= LEAST_SPAN)
            bits_span_copy(mover, from, to, a, b);
        else
            copy_elements(&mover->transfer.format, from, to, a, b);
    }
}

/* True if adjacent planes, each of which starts with a byte, are reversed as a
 * whole: they are then ragged rows without lengths. */
static bool find_ragged_rows(const struct element_format *format,
                             const struct strided_rows *rows,
                             struct ragged_rows *s)
{
    size_t rest = (rows->a | rows->batch_step) * format->bits % 8;

    *s = (struct ragged_rows){
        .size = 1, .rows = rows->batch_step, .count = rows->batch};
    return rows->batch > 1 && rows->size == 1 && strided_rows_reversed(rows) &&
           rows->b - rows->a + 1 == rows->batch_step && rest == 0;
}

void bits_swap(const struct kernel_table *kernels,
               const struct element_format *format, unsigned char *data,
               const struct strided_rows *rows)
{
    struct bit_mover mover = {kernels, {.format = *format}};
    struct strided_rows plane = *rows;
    struct ragged_rows s;

    if (kernels->ragged_bits && find_ragged_rows(format, rows, &s)) {
        kernels->ragged_bits->swap(data + rows->a * format->bits / 8, format,
                                   &s);
        return;
    }
    for (size_t i = 0; i < rows->batch; i++) {
        swap_plane(&mover, data, &plane);
        plane.a += rows->batch_step;
        plane.b += rows->batch_step;
    }
}

void bits_copy(const struct kernel_table *kernels,
               const struct element_format *format, const unsigned char *from,
               unsigned char *to, const struct strided_rows *rows)
{
    struct bit_mover mover = {kernels, {.format = *format}};
    struct strided_rows plane = *rows;
    struct ragged_rows s;

    if (kernels->ragged_bits && find_ragged_rows(format, rows, &s)) {
        size_t at = rows->a * format->bits / 8;

        kernels->ragged_bits->copy(from + at, to + at, format, &s);
        return;
    }
    for (size_t i = 0; i < rows->batch; i++) {
        copy_plane(&mover, from, to, &plane);
        plane.a += rows->batch_step;
        plane.b += rows->batch_step;
    }
}
