#include <string.h>

#include "api/base/writer.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/core/cancel.h"

enum { PREFIX = sizeof(uint32_t) };

static uint32_t read_prefix(const unsigned char *data)
{
    uint32_t len;

    memcpy(&len, data, sizeof(len));
    return len;
}

/* The length of element `index`, which starts at `at`, prefix included. */
static bool measure(const struct tensor *tensor, size_t at, uint64_t index,
                    size_t *len, struct status *st)
{
    size_t left = tensor->bytes - at;
    uint32_t content;

    if (left < PREFIX)
        return status_fail(st, STATUS_INVALID,
                           "data[%llu] of '%s' has no room for its length: 4 "
                           "bytes are needed, but %zu are left of %zu",
                           (unsigned long long)index, tensor->name, left,
                           tensor->bytes);
    content = read_prefix(tensor->data + at);
    if (content > left - PREFIX)
        return status_fail(st, STATUS_INVALID,
                           "data[%llu] of '%s' announces %lu bytes, but %zu "
                           "are left of %zu",
                           (unsigned long long)index, tensor->name,
                           (unsigned long)content, left - PREFIX,
                           tensor->bytes);
    *len = PREFIX + (size_t)content;
    return true;
}

bool binary_strings_index(const struct tensor *tensor,
                          const struct binary_strings_rows *want,
                          const atomic_bool *cancel, struct status *st)
{
    struct cancel_check check = {.flag = cancel};
    size_t at = 0, start = 0, len = 0;
    uint64_t left = want->row; /* elements until the row is complete */
    struct span *rows = want->rows;

    if (tensor->bytes > UINT32_MAX)
        return status_fail(
            st, STATUS_TOO_LARGE, "data of '%s' has %zu bytes, more than %lu",
            tensor->name, tensor->bytes, (unsigned long)UINT32_MAX);
    for (uint64_t i = 0; i < want->count; i++) {
        if (!cancel_step(&check, len))
            return status_fail(st, STATUS_CANCELLED, "cancelled");
        if (!measure(tensor, at, i, &len, st))
            return false;
        at += len;
        if (rows && --left == 0) {
            rows->start = (uint32_t)start;
            rows->len = (uint32_t)(at - start);
            rows++;
            start = at;
            left = want->row;
        }
    }
    if (at == tensor->bytes)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "the %llu elements of '%s' take %zu bytes, but its data "
                       "has %zu",
                       (unsigned long long)want->count, tensor->name, at,
                       tensor->bytes);
}

void binary_strings_emit(const struct tensor *tensor, const struct span *rows,
                         uint64_t row_count, void *out,
                         const atomic_bool *cancel)
{
    unsigned char *to = out;
    struct cancel_check check = {.flag = cancel};

    for (uint64_t i = 0; i < row_count;) {
        size_t start = rows[i].start;
        size_t len = rows[i].len;

        /* Rows that still follow each other are copied as one. */
        for (i++; i < row_count && rows[i].start == start + len; i++)
            len += rows[i].len;
        if (!cancel_step(&check, len))
            return;
        memcpy(to, tensor->data + start, len);
        to += len;
    }
}

bool binary_strings_text_length(const struct tensor *tensor, uint64_t count,
                                size_t *len, const atomic_bool *cancel,
                                struct status *st)
{
    struct cancel_check check = {.flag = cancel};
    size_t at = 0, bytes;

    *len = count > 0 ? (size_t)count - 1 : 0; /* the commas */
    for (uint64_t i = 0; i < count; i++) {
        size_t content = read_prefix(tensor->data + at);

        if (!cancel_step(&check, content))
            return status_fail(st, STATUS_CANCELLED, "cancelled");
        if (!json_text_length(tensor->data + at + PREFIX, content, &bytes))
            return status_fail(st, STATUS_INVALID,
                               "data[%llu] of '%s' is not UTF-8 and cannot go "
                               "into JSON: ask for the output in binary "
                               "(binary_data)",
                               (unsigned long long)i, tensor->name);
        *len += bytes;
        at += PREFIX + content;
    }
    return true;
}

size_t binary_strings_to_text(const struct tensor *tensor,
                              const struct span *rows, uint64_t row_count,
                              char *out, const atomic_bool *cancel)
{
    struct cancel_check check = {.flag = cancel};
    char *to = out;

    for (uint64_t i = 0; i < row_count; i++) {
        const unsigned char *at = tensor->data + rows[i].start;
        const unsigned char *end = at + rows[i].len;

        if (!cancel_step(&check, rows[i].len))
            break;
        for (; at < end; at += PREFIX + read_prefix(at)) {
            if (to > out)
                *to++ = ',';
            to = json_text_write(at + PREFIX, read_prefix(at), to);
        }
    }
    return (size_t)(to - out);
}
