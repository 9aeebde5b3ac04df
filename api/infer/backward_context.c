/* The backward context: the lengths and axes of a forward pass, for its
 * gradient, as an opaque, URL-safe string. The client keeps it, so that any
 * replica can answer the gradient.
 *
 * The string is base64url of: a version byte; batch axis, time axis, batch and
 * time sizes and the lengths as LEB128 numbers; a 64-bit FNV-1a checksum. It is
 * not secret and not trusted: its numbers are checked like any other input. */
#include <stdlib.h>
#include <string.h>

#include "api/infer/infer.h"
#include "api/protobuf/protobuf.h"
#include "kernels/core/require.h"

/* The numbers in front of the lengths: two axes and their sizes. */
enum { BATCH_AXIS, TIME_AXIS, BATCH, TIME, NUMBERS };

enum { VERSION = 1, CHECKSUM = 8 };

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static uint64_t checksum(const void *data, size_t len)
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* Without padding. */
static void to_base64(const void *data, size_t len, char *out)
{
    const unsigned char *bytes = data;
    uint32_t group = 0;
    unsigned bits = 0; /* of `group` that are still to be written */

    for (size_t i = 0; i < len; i++) {
        group = group << 8 | bytes[i];
        for (bits += 8; bits >= 6;) {
            bits -= 6;
            *out++ = alphabet[group >> bits & 63];
        }
    }
    if (bits > 0)
        *out++ = alphabet[group << (6 - bits) & 63];
    *out = '\0';
}

/* Returns the string (free() it), or NULL without memory. `lens` are an int64_t
 * each, not aligned. */
static char *encode(const int64_t numbers[NUMBERS], const unsigned char *lens)
{
    struct writer w = {.grows = true};
    char *text = NULL;
    uint64_t number;

    protobuf_write_varint(&w, VERSION);
    for (int i = 0; i < NUMBERS; i++)
        protobuf_write_varint(&w, (uint64_t)numbers[i]);
    for (int64_t i = 0; i < numbers[BATCH]; i++, lens += sizeof(number)) {
        memcpy(&number, lens, sizeof(number));
        protobuf_write_varint(&w, number);
    }
    number = w.failed ? 0 : checksum(w.data, w.len);
    writer_bytes(&w, &number, CHECKSUM);
    if (!w.failed)
        text = malloc(w.len / 3 * 4 + 5);
    if (text)
        to_base64(w.data, w.len, text);
    free(w.data);
    return text;
}

/* Returns the number of bytes, or 0 when the text is no base64url. */
static size_t from_base64(const char *text, size_t len, unsigned char *out)
{
    uint32_t group = 0;
    unsigned bits = 0; /* of `group` that are still to be written */
    size_t count = 0;

    for (size_t i = 0; i < len; i++) {
        const char *digit = strchr(alphabet, text[i]);

        if (!digit)
            return 0;
        group = group << 6 | (uint32_t)(digit - alphabet);
        bits += 6;
        if (bits < 8)
            continue;
        bits -= 8;
        out[count++] = (unsigned char)(group >> bits);
    }
    /* The last digit's spare bits are 0, or the text was changed. */
    return bits < 6 && (group & ((1u << bits) - 1)) == 0 ? count : 0;
}

static bool refuse(struct status *st)
{
    return status_fail(st, STATUS_INVALID,
                       "backward_context is damaged: give back the string that "
                       "the forward pass answered");
}

static bool fail_memory(struct status *st)
{
    return status_fail(st, STATUS_NO_MEMORY,
                       "backward_context does not fit in memory");
}

/* Reads a number below 2^63. */
static bool read_number(const unsigned char **at, const unsigned char *end,
                        int64_t *number)
{
    uint64_t value;

    if (!protobuf_number(at, end, &value) || value > INT64_MAX)
        return false;
    *number = (int64_t)value;
    return true;
}

/* Each length takes a byte at least, so that a batch larger than the rest of
 * the bytes is refused before memory is allocated. */
static bool unpack(const unsigned char *at, size_t len,
                   int64_t numbers[NUMBERS], unsigned char **lens,
                   struct status *st)
{
    const unsigned char *end = at + len;
    uint64_t sum;
    int64_t number;

    if (len <= CHECKSUM)
        return refuse(st);
    end -= CHECKSUM;
    memcpy(&sum, end, CHECKSUM);
    if (sum != checksum(at, (size_t)(end - at)) || *at++ != VERSION)
        return refuse(st);
    for (int i = 0; i < NUMBERS; i++)
        if (!read_number(&at, end, &numbers[i]))
            return refuse(st);
    if (numbers[BATCH] > end - at)
        return refuse(st);
    *lens = malloc((size_t)numbers[BATCH] * sizeof(number) + 1);
    if (!*lens)
        return fail_memory(st);
    for (size_t i = 0; i < (size_t)numbers[BATCH]; i++) {
        if (!read_number(&at, end, &number))
            return refuse(st);
        memcpy(*lens + i * sizeof(number), &number, sizeof(number));
    }
    return at == end || refuse(st);
}

/* Reads a string; *lens is for the caller to free, also after a failure. Fails
 * with INVALID when it is damaged, NO_MEMORY. */
static bool decode(const char *text, int64_t numbers[NUMBERS],
                   unsigned char **lens, struct status *st)
{
    size_t len = strlen(text);
    unsigned char *bytes = malloc(len + 1);
    bool ok;

    if (!bytes)
        return fail_memory(st);
    len = from_base64(text, len, bytes);
    ok = unpack(bytes, len, numbers, lens, st);
    free(bytes);
    return ok;
}

/* Checks that the context was made for a tensor of this shape. */
static bool check_fit(const int64_t numbers[NUMBERS], const struct tensor *data,
                      struct status *st)
{
    for (int i = BATCH_AXIS; i <= TIME_AXIS; i++) {
        int64_t axis = numbers[i], size = numbers[i + BATCH];

        if (axis >= data->shape.rank)
            return status_fail(st, STATUS_INVALID,
                               "backward_context is for axis %lld, but '%s' "
                               "has rank %d",
                               (long long)axis, data->name, data->shape.rank);
        if (data->shape.dims[axis] != size)
            return status_fail(
                st, STATUS_INVALID,
                "backward_context is for %lld entries on axis %lld, but '%s' "
                "has %lld",
                (long long)size, (long long)axis, data->name,
                (long long)data->shape.dims[axis]);
    }
    return true;
}

static int64_t *axis_named(struct infer *infer, const char *name)
{
    int at = op_attribute_find(infer->model->op, name);

    REQUIRE(at >= 0);
    return &infer->settings.values[at].integer;
}

/* A context holds lengths and axes; given twice, they could disagree. */
static bool refuse_both(struct infer *infer, struct status *st)
{
    const struct tensor *control = &infer->call.control;
    const struct op *op = infer->model->op;

    if (control->name)
        return status_fail(st, STATUS_INVALID,
                           "backward_context and '%s' are both given: the "
                           "context holds the lengths",
                           control->name);
    for (int i = 0; op->attributes[i].name; i++)
        if (op->attributes[i].role == ATTRIBUTE_PLAIN &&
            infer->settings.values[i].given)
            return status_fail(st, STATUS_INVALID,
                               "backward_context and %s are both given: the "
                               "context holds the axes",
                               op->attributes[i].name);
    return true;
}

bool infer_read_context(struct infer *infer, struct status *st)
{
    const struct attribute_value *value =
        request_parameters_role(&infer->settings, ATTRIBUTE_CONTEXT);
    int64_t numbers[NUMBERS];

    if (!value || !value->given)
        return true;
    REQUIRE(!infer->control || infer->call.control.name);
    if (!refuse_both(infer, st) ||
        !decode(value->text, numbers, &infer->control, st))
        return false;
    *axis_named(infer, "batch_axis") = numbers[BATCH_AXIS];
    *axis_named(infer, "time_axis") = numbers[TIME_AXIS];
    infer->call.control = (struct tensor){
        .name = infer->model->op->control,
        .dtype = DTYPE_INT64,
        .shape = {.rank = 1, .dims = {numbers[BATCH]}},
        .data = infer->control,
        .bytes = (size_t)numbers[BATCH] * sizeof(int64_t),
    };
    return check_fit(numbers, &infer->call.data, st);
}

bool infer_write_context(struct infer *infer, struct status *st)
{
    const struct shape *shape = &infer->call.data.shape;
    const struct attribute_value *training =
        request_parameters_role(&infer->settings, ATTRIBUTE_TRAINING);
    int64_t numbers[NUMBERS];

    if (!training || !training->flag)
        return true;
    numbers[BATCH_AXIS] = *axis_named(infer, "batch_axis");
    numbers[TIME_AXIS] = *axis_named(infer, "time_axis");
    numbers[BATCH] = shape->dims[numbers[BATCH_AXIS]];
    numbers[TIME] = shape->dims[numbers[TIME_AXIS]];
    infer->backward_context = encode(numbers, infer->call.control.data);
    return infer->backward_context ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}
