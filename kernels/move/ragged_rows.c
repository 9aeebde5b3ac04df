#include "kernels/move/ragged_rows.h"

#include <string.h>

/* Up to so many bytes the start and the end of a sequence cost more than its
 * rows, and the code may have a way round that. */
enum { SHORT_SEQUENCE = 4096 };

/* The rows of the first `len` that change places, or are copied. */
static struct move_rows rows_of(const struct move_sequences *s, size_t len,
                                size_t count)
{
    return (struct move_rows){
        .b = (len - 1) * s->size,
        .a_step = (ptrdiff_t)s->size,
        .b_step = -(ptrdiff_t)s->size,
        .count = count,
        .size = s->size,
        .planes = 1,
    };
}

static bool is_short(const struct move_sequences *s)
{
    return s->rows * s->size <= SHORT_SEQUENCE;
}

void move_sequences_swap(const struct move_code *code, unsigned char *data,
                         const struct move_sequences *s)
{
    if (code->swap_sequences && is_short(s)) {
        code->swap_sequences(data, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t len = (size_t)s->lens[i];
        struct move_rows head = rows_of(s, len, len / 2);

        if (len > 1)
            code->swap(data, &head);
        data += s->rows * s->size;
    }
}

void move_sequences_copy(const struct move_code *code,
                         const unsigned char *from, unsigned char *to,
                         const struct move_sequences *s)
{
    size_t bytes = s->rows * s->size;

    if (code->copy_sequences && is_short(s)) {
        code->copy_sequences(from, to, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t len = (size_t)s->lens[i], done = len * s->size;
        struct move_rows head = rows_of(s, len, len);

        if (len > 0)
            code->copy(from, to, &head);
        memcpy(to + done, from + done, bytes - done);
        from += bytes;
        to += bytes;
    }
}
