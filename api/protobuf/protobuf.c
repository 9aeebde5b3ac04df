#include "api/protobuf/protobuf.h"

#include <string.h>

#include "api/base/text.h"

enum {
    TYPE_BITS = 3, /* of a tag; the others are the field's number */
    VARINT_MAX = 10,
    NUMBER_MAX = (1 << 29) - 1,
};

bool protobuf_varint(const unsigned char **at, const unsigned char *end,
                     uint64_t *value)
{
    const unsigned char *byte = *at;

    *value = 0;
    for (unsigned i = 0; i < VARINT_MAX && byte < end; i++) {
        *value |= (uint64_t)(*byte & 0x7F) << 7 * i;
        if (*byte++ < 0x80) {
            *at = byte;
            return true;
        }
    }
    return false;
}

static const char too_many[] = "the message has more than 2000 fields";

static bool fail(struct protobuf_reader *reader, const char *fault)
{
    reader->fault = fault;
    return false;
}

static bool read_tag(struct protobuf_reader *reader,
                     struct protobuf_field *field)
{
    uint64_t tag;

    if (reader->at == reader->end)
        return fail(reader, "a group does not end");
    if (*reader->left == 0)
        return fail(reader, too_many);
    --*reader->left;
    if (!protobuf_number(&reader->at, reader->end, &tag))
        return fail(reader, "a tag does not end");
    field->type = (enum protobuf_type)(tag & ((1 << TYPE_BITS) - 1));
    if (tag >> TYPE_BITS == 0 || tag >> TYPE_BITS > NUMBER_MAX)
        return fail(reader, "a field has a number that no field can have");
    field->number = (uint32_t)(tag >> TYPE_BITS);
    return true;
}

static bool read_fixed(struct protobuf_reader *reader,
                       struct protobuf_field *field, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size)
        return fail(reader, "a number of fixed size does not end");
    field->len = size;
    field->value = 0;
    for (size_t i = 0; i < size; i++)
        field->value |= (uint64_t)reader->at[i] << 8 * i;
    reader->at += size;
    return true;
}

/* Everything but the marks of groups. */
static bool read_value(struct protobuf_reader *reader,
                       struct protobuf_field *field)
{
    field->data = reader->at;
    switch (field->type) {
    case PROTOBUF_VARINT:
        if (!protobuf_number(&reader->at, reader->end, &field->value))
            return fail(reader, "a number does not end");
        field->len = (size_t)(reader->at - field->data);
        return true;
    case PROTOBUF_FIXED64:
        return read_fixed(reader, field, 8);
    case PROTOBUF_BYTES:
        if (!protobuf_number(&reader->at, reader->end, &field->value))
            return fail(reader, "a length does not end");
        if (field->value > (uint64_t)(reader->end - reader->at))
            return fail(reader, "a field is longer than what holds it");
        field->data = reader->at;
        field->len = (size_t)field->value;
        reader->at += field->len;
        return true;
    case PROTOBUF_FIXED32:
        return read_fixed(reader, field, 4);
    case PROTOBUF_GROUP:
    case PROTOBUF_GROUP_END:
        break;
    }
    return fail(reader, "a field has a type that does not exist");
}

/* Passes over a group whose opening tag was read: no message here has one. */
static bool skip_group(struct protobuf_reader *reader, uint32_t number)
{
    uint32_t open[PROTOBUF_MAX_GROUPS] = {number};
    struct protobuf_field field;

    for (size_t depth = 1; depth > 0;) {
        if (!read_tag(reader, &field))
            return false;
        if (field.type == PROTOBUF_GROUP_END) {
            if (field.number != open[--depth])
                return fail(reader, "a group ends that did not begin");
        } else if (field.type == PROTOBUF_GROUP) {
            if (depth == PROTOBUF_MAX_GROUPS)
                return fail(reader, "groups are nested more than 100 deep");
            open[depth++] = field.number;
        } else if (!read_value(reader, &field)) {
            return false;
        }
    }
    return true;
}

bool protobuf_next(struct protobuf_reader *reader, struct protobuf_field *field)
{
    while (reader->at < reader->end) {
        if (!read_tag(reader, field))
            return false;
        if (field->type == PROTOBUF_GROUP_END)
            return fail(reader, "a group ends that did not begin");
        if (field->type != PROTOBUF_GROUP)
            return read_value(reader, field);
        if (!skip_group(reader, field->number))
            return false;
    }
    return false;
}

bool protobuf_end(const struct protobuf_reader *reader, struct status *st)
{
    return !reader->fault ||
           status_fail(st,
                       reader->fault == too_many ? STATUS_INVALID
                                                 : STATUS_MALFORMED,
                       "malformed message at byte %zu: %s",
                       (size_t)(reader->at - reader->start), reader->fault);
}

bool protobuf_is_text(const struct protobuf_field *field, const char *where,
                      struct status *st)
{
    for (size_t at = 0, step; at < field->len; at += step) {
        step = field->data[at] < 0x80
                   ? 1
                   : utf8_length(field->data + at, field->len - at);
        if (step == 0)
            return status_fail(st, STATUS_MALFORMED,
                               "%s is not UTF-8: see its byte %zu", where, at);
    }
    return true;
}

bool protobuf_is_name(const struct protobuf_field *field, const char *where,
                      struct status *st)
{
    return protobuf_is_text(field, where, st) &&
           (!memchr(field->data, '\0', field->len) ||
            status_fail(st, STATUS_INVALID, "%s holds a NUL character", where));
}

void protobuf_write_varint(struct writer *w, uint64_t value)
{
    unsigned char bytes[10];
    size_t len = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[len++] = (unsigned char)(value | 0x80);
    bytes[len++] = (unsigned char)value;
    writer_bytes(w, bytes, len);
}

static void write_tag(struct writer *w, uint32_t field, enum protobuf_type type)
{
    protobuf_write_varint(w, (uint64_t)field << 3 | type);
}

void protobuf_write_number(struct writer *w, uint32_t field, uint64_t value)
{
    write_tag(w, field, PROTOBUF_VARINT);
    protobuf_write_varint(w, value);
}

void protobuf_write_head(struct writer *w, uint32_t field, size_t len)
{
    write_tag(w, field, PROTOBUF_BYTES);
    protobuf_write_varint(w, len);
}

void protobuf_write_bytes(struct writer *w, uint32_t field, const void *data,
                          size_t len)
{
    protobuf_write_head(w, field, len);
    writer_bytes(w, data, len);
}

void protobuf_write_text(struct writer *w, uint32_t field, const char *text)
{
    protobuf_write_bytes(w, field, text, strlen(text));
}

size_t protobuf_write_open(struct writer *w, uint32_t field)
{
    write_tag(w, field, PROTOBUF_BYTES);
    return w->len;
}

/* The length is known now, and stands in front: what was written moves up. */
void protobuf_write_close(struct writer *w, size_t mark)
{
    size_t len = w->len - mark, head;

    protobuf_write_varint(w, len);
    if (w->failed)
        return;
    head = w->len - mark - len;
    memmove(w->data + mark + head, w->data + mark, len);
    w->len = mark;
    protobuf_write_varint(w, len);
    w->len = mark + head + len;
}
