#include "kernels/move/bits_ragged_rows.h"

#include "kernels/move/bits_span.h"

/* Copies of sequences of up to so many bytes are left to the code: in longer
 * ones what stays is best left to the C library. */
enum { SHORT_SEQUENCE = 4096 };

void move_bits_sequences_swap(const struct move_code *code,
                              const struct move_bits *packing,
                              unsigned char *data,
                              const struct move_sequences *s)
{
    const struct move_bits_way way = {.packing = *packing, .reverse = true};

    if (code->swap_bit_lens) {
        code->swap_bit_lens(data, packing, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t first = i * s->rows, len = (size_t)s->lens[i];
        struct move_bits_span a = {first, len / 2};
        struct move_bits_span b = {first + len - len / 2, len / 2};

        move_bits_span_swap(code, &way, data, a, b);
    }
}

void move_bits_sequences_copy(const struct move_code *code,
                              const struct move_bits *packing,
                              const unsigned char *from, unsigned char *to,
                              const struct move_sequences *s)
{
    const struct move_bits_way way = {.packing = *packing, .reverse = true};
    const struct move_bits_way still = {.packing = *packing};

    if (code->copy_bit_lens && s->rows * packing->bits / 8 <= SHORT_SEQUENCE) {
        code->copy_bit_lens(from, to, packing, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t first = i * s->rows, len = (size_t)s->lens[i];
        struct move_bits_span head = {first, len};
        struct move_bits_span tail = {first + len, s->rows - len};

        move_bits_span_copy(code, &way, from, to, head, head);
        move_bits_span_copy(code, &still, from, to, tail, tail);
    }
}
