#include "kernels/move/ragged_rows_mover.h"

#include <string.h>

/* Up to this many bytes, the start and the end of a sequence cost more than its
 * rows: the kernels for ragged rows save that. */
enum { SHORT_SEQUENCE = 4096 };

/* Exchanges or copies `count` rows of the first `len`. */
static struct strided_rows rows_of(const struct ragged_rows *s, size_t len,
                                   size_t count)
{
    return (struct strided_rows){
        .b = (len - 1) * s->size,
        .a_step = (ptrdiff_t)s->size,
        .b_step = -(ptrdiff_t)s->size,
        .count = count,
        .size = s->size,
        .batch = 1,
    };
}

static bool is_short(const struct ragged_rows *s)
{
    return s->rows * s->size <= SHORT_SEQUENCE;
}

void ragged_rows_mover_swap(const struct kernel_table *kernels,
                            unsigned char *data, const struct ragged_rows *s)
{
    if (kernels->ragged_rows && is_short(s)) {
        kernels->ragged_rows->swap(data, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t len = (size_t)s->lens[i];
        struct strided_rows head = rows_of(s, len, len / 2);

        if (len > 1)
            kernels->rows.swap(data, &head);
        data += s->rows * s->size;
    }
}

void ragged_rows_mover_copy(const struct kernel_table *kernels,
                            const unsigned char *from, unsigned char *to,
                            const struct ragged_rows *s)
{
    size_t bytes = s->rows * s->size;

    if (kernels->ragged_rows && is_short(s)) {
        kernels->ragged_rows->copy(from, to, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        size_t len = (size_t)s->lens[i], done = len * s->size;
        struct strided_rows head = rows_of(s, len, len);

        if (len > 0)
            kernels->rows.copy(from, to, &head);
        memcpy(to + done, from + done, bytes - done);
        from += bytes;
        to += bytes;
    }
}
