#include "kernels/move/bits/bits_ragged_rows.h"

#include "kernels/move/bits/bits_span.h"

/* Longer sequences are not copied by the kernels for ragged bits: memcpy() is
 * the fastest for the elements after a length. */
enum { SHORT_SEQUENCE = 4096 };

void bits_ragged_rows_swap(const struct kernel_table *kernels,
                           const struct element_format *format,
                           unsigned char *data, const struct ragged_rows *s)
{
    const struct bit_mover mover = {kernels,
                                    {.format = *format, .reverse = true}};

    if (kernels->ragged_bits) {
        kernels->ragged_bits->swap(data, format, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t first = i * s->rows, len = (size_t)s->lens[i];
        struct bit_span a = {first, len / 2};
        struct bit_span b = {first + len - len / 2, len / 2};

        bits_span_swap(&mover, data, a, b);
    }
}

void bits_ragged_rows_copy(const struct kernel_table *kernels,
                           const struct element_format *format,
                           const unsigned char *from, unsigned char *to,
                           const struct ragged_rows *s)
{
    const struct bit_mover reverse = {kernels,
                                      {.format = *format, .reverse = true}};
    const struct bit_mover straight = {kernels, {.format = *format}};

    if (kernels->ragged_bits && s->rows * format->bits / 8 <= SHORT_SEQUENCE) {
        kernels->ragged_bits->copy(from, to, format, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t first = i * s->rows, len = (size_t)s->lens[i];
        struct bit_span head = {first, len};
        struct bit_span tail = {first + len, s->rows - len};

        bits_span_copy(&reverse, from, to, head, head);
        bits_span_copy(&straight, from, to, tail, tail);
    }
}
