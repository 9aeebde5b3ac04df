/* The values of contents as the bytes of a tensor. */
#include <limits.h>
#include <string.h>

#include "api/wire/contents.h"

struct conversion {
    const struct tensor *tensor;
    uint64_t index; /* of the next element */
    unsigned char *out;
    struct status *st;
};

static void put(struct conversion *c, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        c->out[i] = (unsigned char)(value >> 8 * i);
    c->out += size;
    c->index++;
}

static bool refuse_int(const struct conversion *c, long long value,
                       long long least, long long most)
{
    return status_fail(c->st, STATUS_INVALID,
                       "data[%llu] of '%s' is %lld, but %s holds %lld to %lld",
                       (unsigned long long)c->index, c->tensor->name, value,
                       dtype_info(c->tensor->dtype)->name, least, most);
}

/* int_contents and uint_contents have 32 bits, of which a datatype may take
 * fewer. */
static bool convert_32(struct conversion *c, uint64_t value)
{
    const struct dtype_traits *info = dtype_info(c->tensor->dtype);
    bool has_sign = info->kind == DTYPE_KIND_INT;
    long long most = (1LL << (info->bits - has_sign)) - 1;
    long long least = has_sign ? -most - 1 : 0;
    long long number =
        has_sign ? (long long)(int32_t)value : (long long)(uint32_t)value;

    if (number < least || number > most)
        return refuse_int(c, number, least, most);
    put(c, (uint64_t)number, info->bits / CHAR_BIT);
    return true;
}

static bool convert_varint(struct conversion *c, uint64_t value)
{
    switch (c->tensor->dtype) {
    case DTYPE_BOOL:
        put(c, value != 0, 1);
        return true;
    case DTYPE_INT64:
    case DTYPE_UINT64:
        put(c, value, 8);
        return true;
    default:
        return convert_32(c, value);
    }
}

static bool convert_varints(struct conversion *c,
                            const struct protobuf_field *field)
{
    const unsigned char *at = field->data, *end = at + field->len;
    uint64_t value;

    while (at < end) {
        if (!protobuf_number(&at, end, &value))
            return status_fail(c->st, STATUS_MALFORMED,
                               "data[%llu] of '%s' is a number of more than "
                               "ten bytes",
                               (unsigned long long)c->index, c->tensor->name);
        if (!convert_varint(c, value))
            return false;
    }
    return true;
}

static bool convert_bytes(struct conversion *c,
                          const struct protobuf_field *field)
{
    if (field->len > UINT32_MAX)
        return status_fail(c->st, STATUS_INVALID,
                           "data[%llu] of '%s' has %zu bytes, but BYTES hold "
                           "at most %llu",
                           (unsigned long long)c->index, c->tensor->name,
                           field->len, (unsigned long long)UINT32_MAX);
    put(c, field->len, 4);
    memcpy(c->out, field->data, field->len);
    c->out += field->len;
    return true;
}

static bool convert(struct conversion *c, const struct protobuf_field *field)
{
    if (contents_part(field) == CONTENTS_NO_PART)
        return true;
    switch (field->number) {
    case CONTENTS_FP32:
    case CONTENTS_FP64:
        memcpy(c->out, field->data, field->len);
        c->out += field->len;
        return true;
    case CONTENTS_BYTES:
        return convert_bytes(c, field);
    default:
        return convert_varints(c, field);
    }
}

unsigned char *contents_convert(const struct protobuf_field *field,
                                const struct tensor *tensor, uint64_t *index,
                                unsigned char *out, struct status *st)
{
    struct conversion c = {tensor, *index, out, st};
    size_t left = SIZE_MAX;
    struct protobuf_reader reader =
        protobuf_read(field->data, field->len, &left);
    struct protobuf_field element;

    while (protobuf_next(&reader, &element))
        if (!convert(&c, &element))
            return NULL;
    *index = c.index;
    return c.out;
}
