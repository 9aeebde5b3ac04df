#include "server/http2/output.h"

#include <stdint.h>
#include <string.h>

void output_borrow(struct output *output, const void *data, size_t len,
                   size_t *unsent)
{
    /* Only read; the type of an iovec cannot say so. */
    output->parts[output->count] = (struct iovec){(void *)(uintptr_t)data, len};
    output->unsent[output->count++] = unsent;
    output->bytes += len;
    if (unsent)
        *unsent += len;
    /* One part is left for a frame that output_copy() borrows. */
    output->full = output->full || output->bytes >= OUTPUT_BYTES ||
                   output->count >= OUTPUT_PARTS - 1;
}

/* True if the last part ends where the next copy begins: a copy. */
static bool joins(const struct output *output)
{
    const struct iovec *last;

    if (output_is_empty(output))
        return false;
    last = &output->parts[output->count - 1];
    return (unsigned char *)last->iov_base + last->iov_len ==
           output->copied + output->copied_len;
}

void output_copy(struct output *output, const void *data, size_t len)
{
    if (len > OUTPUT_COPIED - output->copied_len) {
        output_borrow(output, data, len, NULL);
        output->full = true;
        return;
    }
    memcpy(output->copied + output->copied_len, data, len);
    if (joins(output)) {
        output->parts[output->count - 1].iov_len += len;
        output->bytes += len;
    } else {
        output_borrow(output, output->copied + output->copied_len, len, NULL);
    }
    output->copied_len += len;
}

bool output_fits(struct output *output, size_t parts, size_t head)
{
    if (output->count + parts + 2 > OUTPUT_PARTS ||
        output->copied_len + head > OUTPUT_COPIED)
        output->full = true;
    return !output->full;
}

void output_advance(struct output *output, size_t sent,
                    void (*on_sent)(size_t *unsent))
{
    output->bytes -= sent;
    while (sent > 0) {
        struct iovec *part = &output->parts[output->first];
        size_t *unsent = output->unsent[output->first];
        size_t step = sent < part->iov_len ? sent : part->iov_len;

        part->iov_base = (char *)part->iov_base + step;
        part->iov_len -= step;
        sent -= step;
        output->first += part->iov_len == 0;
        if (unsent && (*unsent -= step) == 0)
            on_sent(unsent);
    }
    if (!output_is_empty(output))
        return;
    output->first = output->count = output->copied_len = 0;
    output->full = false;
}
