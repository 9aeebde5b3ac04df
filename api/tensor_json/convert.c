/* Datatypes as JSON, and the forms of elements that one pass writes. */
#include <string.h>

#include "api/base/writer.h"
#include "api/lex/scan.h"
#include "api/number/number.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/core/cancel.h"
#include "kernels/core/size.h"

bool tensor_json_supports(enum dtype dtype, uint64_t count, const char *name,
                          struct status *st)
{
    const struct dtype_traits *info = dtype_info(dtype);

    if (info->kind != DTYPE_KIND_OPAQUE || count == 0)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "'%s' is %s, which has no JSON form: send and ask for "
                       "it in binary (binary_data_size, binary_data)",
                       name, info->name);
}

static struct number_range ranges[DTYPE_COUNT];

/* Before main(): every request with JSON data reads them. */
__attribute__((constructor)) static void fill_ranges(void)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        const struct dtype_traits *info = dtype_info((enum dtype)i);
        const struct float_range *range = number_format((enum dtype)i)->range;
        uint64_t most = 0, least = 0;

        if (info->kind == DTYPE_KIND_INT) {
            most = (UINT64_C(1) << (info->bits - 1)) - 1;
            least = most + 1;
        } else if (info->kind == DTYPE_KIND_UINT) {
            most = UINT64_MAX >> (64 - info->bits);
        }
        number_range_init(&ranges[i], most, least,
                          range ? range->safe_exponent : 0);
    }
}

const struct number_range *tensor_json_range(enum dtype dtype)
{
    const struct number_range *range = &ranges[dtype];

    return range->most > 0 || range->safe_exponent > 0 ? range : NULL;
}

size_t tensor_json_strings_bound(const struct data_array *a)
{
    size_t count = a->count < a->len ? (size_t)a->count : a->len;

    /* The text of an element has 3 bytes besides its content: two quotes and a
     * comma or a bracket. The binary form has 4. */
    return a->len + count;
}

size_t tensor_json_strings_to_binary(const struct data_array *a,
                                     const struct span *rows,
                                     uint64_t row_count, void *out,
                                     const atomic_bool *cancel)
{
    struct cancel_check check = {.flag = cancel};
    unsigned char *at = out;

    for (uint64_t i = 0; i < row_count; i++) {
        const char *text = a->text + rows[i].start;
        const char *end = text + rows[i].len;

        if (!cancel_step(&check, rows[i].len))
            break;
        while (text < end) {
            uint32_t len;

            if (*text != '"') {
                text++;
                continue;
            }
            len = (uint32_t)scan_decode(&text, end, at + sizeof(len));
            memcpy(at, &len, sizeof(len));
            at += sizeof(len) + len;
        }
    }
    return (size_t)(at - (unsigned char *)out);
}

static unsigned tokens_of(enum dtype dtype)
{
    return dtype_info(dtype)->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
}

size_t tensor_json_print_bound(enum dtype dtype, uint64_t count)
{
    size_t element = number_format(dtype)->bound * tokens_of(dtype);

    return size_multiply(count, element);
}

bool tensor_json_print(const struct tensor *tensor, uint64_t count, char **out,
                       const atomic_bool *cancel, struct status *st)
{
    const struct value_format *format = number_format(tensor->dtype);
    uint64_t tokens = count * tokens_of(tensor->dtype);
    struct cancel_check check = {.flag = cancel};
    char *at = *out;
    size_t len = 0;

    if (!tensor_json_supports(tensor->dtype, count, tensor->name, st))
        return false;
    for (uint64_t i = 0; i < tokens; i++) {
        if (!cancel_step(&check, CANCEL_PRINTED * len))
            return status_fail(st, STATUS_CANCELLED, "cancelled");
        if (i > 0)
            *at++ = ',';
        len = format->print(tensor->data, i, at);
        at += len;
    }
    *out = at;
    return true;
}

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

    *len = PREFIX;
    if (left >= PREFIX)
        *len += read_prefix(tensor->data + at);
    if (*len <= left)
        return true;
    if (left < PREFIX)
        return status_fail(st, STATUS_INVALID,
                           "data[%llu] of '%s' has no room for its length: 4 "
                           "bytes are needed, but %zu are left of %zu",
                           (unsigned long long)index, tensor->name, left,
                           tensor->bytes);
    return status_fail(st, STATUS_INVALID,
                       "data[%llu] of '%s' announces %zu bytes, but %zu are "
                       "left of %zu",
                       (unsigned long long)index, tensor->name, *len - PREFIX,
                       left - PREFIX, tensor->bytes);
}

bool binary_strings_index(const struct tensor *tensor, uint64_t count,
                          uint64_t row, struct span *rows,
                          const atomic_bool *cancel, struct status *st)
{
    struct cancel_check check = {.flag = cancel};
    size_t at = 0, start = 0, len = 0;
    /* Elements until the row is complete. */
    uint64_t left = rows ? row : UINT64_MAX;

    if (tensor->bytes > UINT32_MAX)
        return status_fail(
            st, STATUS_TOO_LARGE, "data of '%s' has %zu bytes, more than %lu",
            tensor->name, tensor->bytes, (unsigned long)UINT32_MAX);
    for (uint64_t i = 0; i < count; i++) {
        if (!cancel_step(&check, len))
            return status_fail(st, STATUS_CANCELLED, "cancelled");
        if (!measure(tensor, at, i, &len, st))
            return false;
        at += len;
        if (--left == 0) {
            rows->start = (uint32_t)start;
            rows->len = (uint32_t)(at - start);
            rows++;
            start = at;
            left = row;
        }
    }
    if (at == tensor->bytes)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "the %llu elements of '%s' take %zu bytes, but its data "
                       "has %zu",
                       (unsigned long long)count, tensor->name, at,
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
