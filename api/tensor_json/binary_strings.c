#include <string.h>

#include "api/base/utf8.h"
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

/* The letter of the short escape of a byte, or 0. */
static char short_escape(unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        return (char)c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

/* The length of an ASCII byte in a JSON string. */
static size_t escaped_length(unsigned char c)
{
    if (short_escape(c))
        return 2;
    return c < 0x20 ? 6 : 1;
}

/* The length of `len` bytes as a JSON string; false when they are not UTF-8. */
static bool string_length(const unsigned char *text, size_t len, size_t *bytes)
{
    size_t i = 0;

    *bytes = 2;
    while (i < len) {
        size_t step = utf8_length(text + i, len - i);

        if (step == 0)
            return false;
        *bytes += step > 1 ? step : escaped_length(text[i]);
        i += step;
    }
    return true;
}

bool binary_strings_text_length(const struct tensor *tensor, uint64_t count,
                                size_t *len, const atomic_bool *cancel,
                                struct status *st)
{
    struct cancel_check check = {.flag = cancel};
    size_t at = 0, bytes;

    *len = count > 0 ? (size_t)count - 1 : 0;
    for (uint64_t i = 0; i < count; i++) {
        size_t content = read_prefix(tensor->data + at);

        if (!cancel_step(&check, content))
            return status_fail(st, STATUS_CANCELLED, "cancelled");
        if (!string_length(tensor->data + at + PREFIX, content, &bytes))
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

/* Writes one byte of a string; returns the length. */
static size_t write_byte(unsigned char c, char *out)
{
    static const char hex[] = "0123456789abcdef";
    char letter = short_escape(c);

    if (letter) {
        out[0] = '\\';
        out[1] = letter;
        return 2;
    }
    if (c < 0x20) {
        memcpy(out, "\\u00", 4);
        out[4] = hex[c >> 4];
        out[5] = hex[c & 0xF];
        return 6;
    }
    *out = (char)c;
    return 1;
}

static size_t write_string(const unsigned char *text, size_t len, char *out)
{
    size_t at = 0;

    out[at++] = '"';
    for (size_t i = 0; i < len; i++)
        at += write_byte(text[i], out + at);
    out[at++] = '"';
    return at;
}

/* Writes the elements of one row; returns the length. */
static size_t write_row(const unsigned char *data, size_t len, char *out)
{
    size_t at = 0, from = 0;

    while (from < len) {
        size_t content = read_prefix(data + from);

        if (from > 0)
            out[at++] = ',';
        at += write_string(data + from + PREFIX, content, out + at);
        from += PREFIX + content;
    }
    return at;
}

size_t binary_strings_to_text(const struct tensor *tensor,
                              const struct span *rows, uint64_t row_count,
                              char *out, const atomic_bool *cancel)
{
    struct cancel_check check = {.flag = cancel};
    size_t at = 0;

    for (uint64_t i = 0; i < row_count; i++) {
        if (!cancel_step(&check, rows[i].len))
            break;
        if (i > 0)
            out[at++] = ',';
        at += write_row(tensor->data + rows[i].start, rows[i].len, out + at);
    }
    return at;
}
