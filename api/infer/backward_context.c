/* The backward context: the lengths and axes of a forward pass, for its
 * gradient, as an opaque, URL-safe string. The client keeps it, so that any
 * replica can answer the gradient.
 *
 * The string is base64url of: a version byte; batch axis, time axis, batch and
 * time sizes and the lengths as LEB128 numbers; a 64-bit FNV-1a checksum. It is
 * not secret and not trusted: its numbers are checked like any other input. */
#include <stdlib.h>
#include <string.h>

#include "api/infer/state.h"

struct backward_context {
    int64_t batch_axis;
    int64_t time_axis;
    int64_t batch; /* size of the batch axis: the number of lengths */
    int64_t time;  /* size of the time axis */
    const unsigned char *lens; /* borrowed: an int64_t each, not aligned */
};

enum {
    VERSION = 1,
    NUMBER_MAX = 9, /* LEB128 bytes of a number below 2^63 */
    CHECKSUM = 8,
};

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static uint64_t checksum(const unsigned char *bytes, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static size_t write_number(unsigned char *out, int64_t number)
{
    uint64_t left = (uint64_t)number;
    size_t len = 0;

    while (left >= 0x80) {
        out[len++] = (unsigned char)(left | 0x80);
        left >>= 7;
    }
    out[len++] = (unsigned char)left;
    return len;
}

/* Reads a number below 2^63; false at the end of the bytes or for a longer
 * one. */
static bool read_number(const unsigned char **at, const unsigned char *end,
                        int64_t *number)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 7 * NUMBER_MAX && *at < end; shift += 7) {
        unsigned char byte = *(*at)++;

        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *number = (int64_t)value;
            return true;
        }
    }
    return false;
}

static size_t pack(const struct backward_context *c, unsigned char *out)
{
    size_t len = 0;
    int64_t number;
    uint64_t sum;

    out[len++] = VERSION;
    len += write_number(out + len, c->batch_axis);
    len += write_number(out + len, c->time_axis);
    len += write_number(out + len, c->batch);
    len += write_number(out + len, c->time);
    for (int64_t i = 0; i < c->batch; i++) {
        memcpy(&number, c->lens + (size_t)i * sizeof(number), sizeof(number));
        len += write_number(out + len, number);
    }
    sum = checksum(out, len);
    for (int i = 0; i < CHECKSUM; i++)
        out[len++] = (unsigned char)(sum >> 8 * i);
    return len;
}

/* Three bytes at a time, without padding. */
static void to_base64(const unsigned char *bytes, size_t len, char *out)
{
    for (size_t i = 0; i < len; i += 3) {
        size_t have = len - i < 3 ? len - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;

        if (have > 1)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (have > 2)
            group |= bytes[i + 2];
        for (size_t k = 0; k <= have; k++)
            *out++ = alphabet[group >> (18 - 6 * k) & 63];
    }
    *out = '\0';
}

/* Returns the string (free() it), or NULL without memory. */
static char *encode(const struct backward_context *context)
{
    size_t most = 1 + CHECKSUM + NUMBER_MAX * (4 + (size_t)context->batch);
    unsigned char *bytes = malloc(most);
    char *text;
    size_t len;

    if (!bytes)
        return NULL;
    len = pack(context, bytes);
    text = malloc(len / 3 * 4 + 5);
    if (text)
        to_base64(bytes, len, text);
    free(bytes);
    return text;
}

/* Decodes in full; returns the number of bytes, or 0 when the text is no
 * base64url of at least a version and a checksum. */
static size_t from_base64(const char *text, size_t len, unsigned char *out)
{
    uint32_t group = 0;
    size_t count = 0;

    if (len % 4 == 1 || len < 2 + CHECKSUM)
        return 0;
    for (size_t i = 0; i < len; i++) {
        const char *digit = strchr(alphabet, text[i]);

        if (!digit)
            return 0;
        group = group << 6 | (uint32_t)(digit - alphabet);
        if (i % 4 > 0)
            out[count++] = (unsigned char)(group >> (6 - 2 * (i % 4)));
    }
    /* The last digit's spare bits are 0, or the text was changed. */
    if (len % 4 > 1 && (group & (len % 4 == 2 ? 15 : 3)) != 0)
        return 0;
    return count;
}

/* The numbers before the lengths. Each length takes a byte at least, so that a
 * batch larger than the rest of the bytes is refused before memory is
 * allocated.
 */
static bool read_head(const unsigned char **at, const unsigned char *end,
                      struct backward_context *c)
{
    return *at < end && *(*at)++ == VERSION &&
           read_number(at, end, &c->batch_axis) &&
           read_number(at, end, &c->time_axis) &&
           read_number(at, end, &c->batch) && read_number(at, end, &c->time) &&
           c->batch <= end - *at;
}

static bool read_lens(const unsigned char *at, const unsigned char *end,
                      int64_t count, unsigned char *lens)
{
    int64_t number;

    for (; count > 0; count--, lens += sizeof(number)) {
        if (!read_number(&at, end, &number))
            return false;
        memcpy(lens, &number, sizeof(number));
    }
    return at == end;
}

static bool sum_matches(const unsigned char *bytes, size_t len)
{
    uint64_t sum = 0;

    if (len < CHECKSUM)
        return false;
    for (int i = 0; i < CHECKSUM; i++)
        sum |= (uint64_t)bytes[len - CHECKSUM + (size_t)i] << 8 * i;
    return sum == checksum(bytes, len - CHECKSUM);
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

static bool unpack(const unsigned char *at, const unsigned char *end,
                   struct backward_context *c, unsigned char **lens,
                   struct status *st)
{
    if (!read_head(&at, end, c))
        return refuse(st);
    c->lens = *lens = malloc((size_t)c->batch * sizeof(int64_t) + 1);
    if (!*lens)
        return fail_memory(st);
    return read_lens(at, end, c->batch, *lens) || refuse(st);
}

/* Reads a string; context->lens is *lens, for the caller to free, also after a
 * failure. Fails with INVALID when it is damaged, NO_MEMORY. */
static bool decode(const char *text, struct backward_context *context,
                   unsigned char **lens, struct status *st)
{
    size_t len = strlen(text);
    unsigned char *bytes = malloc(len + 1);
    bool ok;

    if (!bytes)
        return fail_memory(st);
    len = from_base64(text, len, bytes);
    ok = sum_matches(bytes, len)
             ? unpack(bytes, bytes + len - CHECKSUM, context, lens, st)
             : refuse(st);
    free(bytes);
    return ok;
}

/* Checks that the context was made for a tensor of this shape. */
static bool check_fit(const struct backward_context *context,
                      const struct tensor *data, struct status *st)
{
    const int64_t axes[] = {context->batch_axis, context->time_axis};
    const int64_t sizes[] = {context->batch, context->time};

    for (int i = 0; i < 2; i++) {
        if (axes[i] >= data->shape.rank)
            return status_fail(st, STATUS_INVALID,
                               "backward_context is for axis %lld, but '%s' "
                               "has rank %d",
                               (long long)axes[i], data->name,
                               data->shape.rank);
        if (data->shape.dims[axes[i]] != sizes[i])
            return status_fail(
                st, STATUS_INVALID,
                "backward_context is for %lld entries on axis %lld, but '%s' "
                "has %lld",
                (long long)sizes[i], (long long)axes[i], data->name,
                (long long)data->shape.dims[axes[i]]);
    }
    return true;
}

static int64_t *axis_named(struct infer *infer, const char *name)
{
    int at = op_attribute_find(infer->model->op, name);

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

static void use(struct infer *infer, const struct backward_context *context)
{
    *axis_named(infer, "batch_axis") = context->batch_axis;
    *axis_named(infer, "time_axis") = context->time_axis;
    infer->call.control = (struct tensor){
        .name = infer->model->op->control,
        .dtype = DTYPE_INT64,
        .shape = {.rank = 1, .dims = {context->batch}},
        .data = infer->control,
        .bytes = (size_t)context->batch * sizeof(int64_t),
    };
}

bool infer_read_context(struct infer *infer, struct status *st)
{
    const struct attribute_value *value =
        request_parameters_role(&infer->settings, ATTRIBUTE_CONTEXT);
    struct backward_context context = {0};

    if (!value || !value->given)
        return true;
    if (!refuse_both(infer, st) ||
        !decode(value->text, &context, &infer->control, st))
        return false;
    use(infer, &context);
    return check_fit(&context, &infer->call.data, st);
}

bool infer_write_context(struct infer *infer, struct status *st)
{
    const struct shape *shape = &infer->call.data.shape;
    const struct attribute_value *training =
        request_parameters_role(&infer->settings, ATTRIBUTE_TRAINING);
    struct backward_context context = {.lens = infer->call.control.data};

    if (!training || !training->flag)
        return true;
    context.batch_axis = *axis_named(infer, "batch_axis");
    context.time_axis = *axis_named(infer, "time_axis");
    context.batch = shape->dims[context.batch_axis];
    context.time = shape->dims[context.time_axis];
    infer->backward_context = encode(&context);
    return infer->backward_context ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}
