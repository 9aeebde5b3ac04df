#include "kernels/move/bits/bits.h"

#include "kernels/move/bits/bits_span.h"

static bool in_place(const struct bits_memory *memory)
{
    return memory->from == memory->to;
}

/* Moves `count` elements from b on to a on; in place the two are exchanged. */
static void move_span(const struct bits_memory *memory, size_t a, size_t b,
                      size_t count, bool reverse)
{
    const unsigned bits = memory->format.bits;
    const struct bit_mover mover = {memory->kernels, memory->format, reverse};
    const struct bit_spans s = {a * bits, b * bits, count * bits};

    if (in_place(memory))
        bits_span_swap(&mover, memory->to, s);
    else
        bits_span_copy(&mover, memory->from, memory->to, s);
}

/* Single elements in reverse order are one span; else each row is one. */
static void move_plane(const struct bits_memory *memory,
                       const struct strided_rows *rows)
{
    size_t a = rows->a, b = rows->b;

    if (rows->size == 1 && strided_rows_reversed(rows)) {
        move_span(memory, a, b + 1 - rows->count, rows->count, true);
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        move_span(memory, a, b, rows->size, false);
        a += (size_t)rows->a_step;
        b += (size_t)rows->b_step;
    }
}

void bits_move_rows(const struct bits_memory *memory,
                    const struct strided_rows *rows)
{
    struct strided_rows plane = *rows;

    for (size_t i = 0; i < rows->batch; i++) {
        move_plane(memory, &plane);
        plane.a += rows->batch_step;
        plane.b += rows->batch_step;
    }
}

void bits_move_ragged_rows(const struct bits_memory *memory,
                           const struct ragged_rows *rows)
{
    for (size_t i = 0, first = 0; i < rows->count; i++, first += rows->rows) {
        size_t len = (size_t)rows->lens[i], half = len / 2;

        if (in_place(memory)) {
            move_span(memory, first, first + len - half, half, true);
        } else {
            move_span(memory, first, first, len, true);
            move_span(memory, first + len, first + len, rows->rows - len,
                      false);
        }
    }
}
