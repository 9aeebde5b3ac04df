/* InferTensorContents: declared in message.h. */
#include <limits.h>
#include <string.h>

#include "api/wire/message.h"
#include "kernels/core/tensor.h"

/* The numbers of the lists. */
enum {
    CONTENTS_BOOL = 1,
    CONTENTS_INT = 2,
    CONTENTS_INT64 = 3,
    CONTENTS_UINT = 4,
    CONTENTS_UINT64 = 5,
    CONTENTS_FP32 = 6,
    CONTENTS_FP64 = 7,
    CONTENTS_BYTES = 8,
};

/* A list, by its number. */
static const struct list {
    const char *name;
    size_t size; /* of an element in a tensor, at most; BYTES: of its length */
    enum protobuf_type type; /* of a field of one element; BYTES of several */
} lists[] = {
    [CONTENTS_BOOL] = {"bool_contents", 1, PROTOBUF_VARINT},
    [CONTENTS_INT] = {"int_contents", 4, PROTOBUF_VARINT},
    [CONTENTS_INT64] = {"int64_contents", 8, PROTOBUF_VARINT},
    [CONTENTS_UINT] = {"uint_contents", 4, PROTOBUF_VARINT},
    [CONTENTS_UINT64] = {"uint64_contents", 8, PROTOBUF_VARINT},
    [CONTENTS_FP32] = {"fp32_contents", 4, PROTOBUF_FIXED32},
    [CONTENTS_FP64] = {"fp64_contents", 8, PROTOBUF_FIXED64},
    [CONTENTS_BYTES] = {"bytes_contents", 4, PROTOBUF_BYTES},
};

/* The number of the list of a datatype; 0: it has none. */
static const unsigned char list_of[DTYPE_COUNT] = {
    [DTYPE_BOOL] = CONTENTS_BOOL,     [DTYPE_INT8] = CONTENTS_INT,
    [DTYPE_INT16] = CONTENTS_INT,     [DTYPE_INT32] = CONTENTS_INT,
    [DTYPE_INT64] = CONTENTS_INT64,   [DTYPE_UINT8] = CONTENTS_UINT,
    [DTYPE_UINT16] = CONTENTS_UINT,   [DTYPE_UINT32] = CONTENTS_UINT,
    [DTYPE_UINT64] = CONTENTS_UINT64, [DTYPE_FP32] = CONTENTS_FP32,
    [DTYPE_FP64] = CONTENTS_FP64,     [DTYPE_BYTES] = CONTENTS_BYTES,
};

/* The list that a field is a part of; NULL for an unknown field, or one of a
 * type that its list does not have. */
static const struct list *find_list(const struct protobuf_field *field)
{
    const struct list *list;

    if (field->number > CONTENTS_BYTES)
        return NULL;
    list = &lists[field->number];
    return field->type == list->type || field->type == PROTOBUF_BYTES ? list
                                                                      : NULL;
}

/* Adds a packed list, any number of elements. */
static bool add_packed(struct contents *contents, const struct list *list,
                       const struct protobuf_field *field, uint64_t *count)
{
    size_t len = field->len, ends = 0;

    contents->packed = field->data;
    contents->packed_len = len;
    if (list->type != PROTOBUF_VARINT) {
        *count = len / list->size;
        return len % list->size == 0;
    }
    for (size_t i = 0; i < len; i++) /* each varint has one such byte */
        ends += field->data[i] < 0x80;
    *count = ends;
    return len == 0 || field->data[len - 1] < 0x80;
}

static bool add_field(struct contents *contents,
                      const struct protobuf_field *field, const char *where,
                      struct status *st)
{
    const struct list *list = find_list(field);
    uint64_t count = 1;

    if (!list)
        return true;
    if (field->type != list->type && !add_packed(contents, list, field, &count))
        return status_fail(st, STATUS_MALFORMED,
                           "%s.contents.%s has %zu bytes and ends inside its "
                           "element %llu",
                           where, list->name, field->len,
                           (unsigned long long)count);
    contents->parts++;
    contents->count += count;
    contents->bytes += (size_t)count * list->size +
                       (field->number == CONTENTS_BYTES ? field->len : 0);
    if (count > 0)
        contents->lists |= 1u << field->number;
    return true;
}

bool contents_add(struct contents *contents, const struct protobuf_field *field,
                  const char *where, struct status *st)
{
    size_t left = SIZE_MAX; /* as many elements as there are bytes */
    struct protobuf_reader reader =
        protobuf_read(field->data, field->len, &left);
    struct protobuf_field element;

    while (protobuf_next(&reader, &element))
        if (!add_field(contents, &element, where, st))
            return false;
    return !reader.fault ||
           status_fail(st, STATUS_MALFORMED,
                       "%s.contents is malformed at its byte %zu: %s", where,
                       (size_t)(reader.at - reader.start), reader.fault);
}

static bool refuse_lists(const struct contents *contents, int i,
                         const struct document_input *input, struct status *st)
{
    uint32_t wanted = list_of[input->dtype];
    uint32_t wrong = CONTENTS_BOOL;

    while (!(contents->lists & ~(1u << wanted) & 1u << wrong))
        wrong++;
    return status_fail(
        st, STATUS_INVALID, "inputs[%d] ('%.64s') has %s, but %s %s%s", i,
        input->name, lists[wrong].name, dtype_info(input->dtype)->name,
        wanted ? "takes " : "has no typed contents: send raw_input_contents",
        wanted ? lists[wanted].name : "");
}

static bool check(const struct contents *contents, int i,
                  const struct document_input *input, struct status *st)
{
    char shape[128];

    if (contents->lists & ~(1u << list_of[input->dtype]))
        return refuse_lists(contents, i, input, st);
    return contents->count == input->count ||
           status_fail(st, STATUS_INVALID,
                       "data of '%s' has %llu elements, but shape %s has %llu",
                       input->name, (unsigned long long)contents->count,
                       shape_print(&input->shape, shape, sizeof(shape)),
                       (unsigned long long)input->count);
}

struct conversion {
    const char *name;                /* of the input */
    const struct dtype_traits *info; /* of its datatype */
    uint64_t index;                  /* of the next element */
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

/* int_contents and uint_contents have 32 bits, of which a datatype may take
 * fewer. */
static bool convert_varint(struct conversion *c, uint64_t value)
{
    const struct dtype_traits *info = c->info;
    bool has_sign = info->kind == DTYPE_KIND_INT;
    long long number = has_sign ? (int32_t)value : (long long)(uint32_t)value;
    long long most, least;

    if (info->kind == DTYPE_KIND_BOOL) {
        value = value != 0;
    } else if (info->bits < 64) {
        most = (1LL << (info->bits - has_sign)) - 1;
        least = has_sign ? -most - 1 : 0;
        if (number < least || number > most)
            return status_fail(
                c->st, STATUS_INVALID,
                "data[%llu] of '%s' is %lld, but %s holds %lld to %lld",
                (unsigned long long)c->index, c->name, number, info->name,
                least, most);
    }
    put(c, value, info->bits / CHAR_BIT);
    return true;
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
                               (unsigned long long)c->index, c->name);
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
                           (unsigned long long)c->index, c->name, field->len,
                           (unsigned long long)UINT32_MAX);
    put(c, field->len, 4);
    memcpy(c->out, field->data, field->len);
    c->out += field->len;
    return true;
}

static bool convert(struct conversion *c, const struct protobuf_field *field)
{
    const struct list *list = find_list(field);

    if (!list)
        return true;
    if (list->type == PROTOBUF_VARINT)
        return convert_varints(c, field);
    if (list->type == PROTOBUF_BYTES)
        return convert_bytes(c, field);
    memcpy(c->out, field->data, field->len);
    c->out += field->len;
    return true;
}

/* Converts all elements of the input. */
static bool convert_all(struct conversion *c,
                        const struct protobuf_field *message)
{
    size_t left = SIZE_MAX;
    struct protobuf_reader reader =
        protobuf_read(message->data, message->len, &left);
    struct protobuf_field field, element;

    while (protobuf_next(&reader, &field)) {
        struct protobuf_reader inner = protobuf_enter(&reader, &field);

        if (field.number != INPUT_CONTENTS || field.type != PROTOBUF_BYTES)
            continue;
        while (protobuf_next(&inner, &element))
            if (!convert(c, &element))
                return false;
    }
    return true;
}

bool contents_place(const struct contents *contents,
                    const struct protobuf_field *message, int i,
                    unsigned char *body, struct document_input *input,
                    unsigned char **out, struct status *st)
{
    bool is_same = input->dtype == DTYPE_FP32 || input->dtype == DTYPE_FP64;
    struct conversion c = {.name = input->name,
                           .info = dtype_info(input->dtype),
                           .out = *out,
                           .st = st};

    if (!check(contents, i, input, st))
        return false;
    if (is_same && contents->parts == 1 && contents->packed) {
        input->bytes = body + (contents->packed - body);
        input->binary_bytes = contents->packed_len;
        return true;
    }
    if (!convert_all(&c, message))
        return false;
    input->bytes = *out;
    input->is_constant = true;
    input->binary_bytes = (uint64_t)(c.out - *out);
    *out = c.out;
    return true;
}
