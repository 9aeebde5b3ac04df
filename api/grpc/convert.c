/* Messages to JSON and back, by their tables. */
#include <stdlib.h>
#include <string.h>

#include "api/grpc/methods.h"
#include "kernels/core/require.h"

static bool is_number(enum grpc_kind kind)
{
    return kind < GRPC_TEXT;
}

static bool is_scalar(enum grpc_kind kind)
{
    return is_number(kind) || kind == GRPC_TEXT;
}

/* The index of the field that its number and type say, or -1. */
static int find(const struct grpc_message *type,
                const struct protobuf_field *field)
{
    for (int i = 0; i < type->count; i++) {
        const struct grpc_field *known = &type->fields[i];

        if (known->number == field->number &&
            field->type ==
                (is_number(known->kind) ? PROTOBUF_VARINT : PROTOBUF_BYTES))
            return i;
    }
    return -1;
}

bool grpc_read(const struct grpc_message *type, const unsigned char *message,
               size_t len, size_t *left, struct grpc_fields *fields,
               struct status *st)
{
    struct protobuf_reader reader = protobuf_read(message, len, left);
    struct protobuf_field field;

    REQUIRE(type->count <= GRPC_REQUEST_FIELDS);
    *fields =
        (struct grpc_fields){.type = type, .message = message, .len = len};
    while (protobuf_next(&reader, &field)) {
        int at = find(type, &field);

        if (at < 0)
            continue;
        if (type->fields[at].kind == GRPC_TEXT &&
            !protobuf_is_text(&field, type->fields[at].name, st))
            return false;
        fields->last[at] = field;
    }
    return protobuf_end(&reader, st);
}

struct protobuf_field grpc_text(const struct grpc_fields *fields,
                                uint32_t number)
{
    for (int i = 0; i < fields->type->count; i++)
        if (fields->last[i].number == number)
            return fields->last[i];
    return (struct protobuf_field){.data = (const unsigned char *)""};
}

int grpc_choice(const struct grpc_fields *fields, int first)
{
    int last = -1;

    for (int i = first; i < fields->type->count; i++)
        if (fields->last[i].number > 0 &&
            (last < 0 || fields->last[i].data > fields->last[last].data))
            last = i;
    return last;
}

static void print_scalar(struct writer *w, enum grpc_kind kind,
                         const struct protobuf_field *field)
{
    switch (kind) {
    case GRPC_BOOL:
        writer_text(w, field->value != 0 ? "true" : "false");
        break;
    case GRPC_INT:
        json_write_int(w, (int64_t)field->value);
        break;
    case GRPC_UINT:
        json_write_uint(w, field->value);
        break;
    default:
        json_write_string_bytes(w, field->data ? (const char *)field->data : "",
                                field->len);
        break;
    }
}

enum { KEY, VALUE };

/* A message with one choice as that choice; null without one. */
static bool print_value(const struct grpc_field *type,
                        const struct protobuf_field *value, size_t *left,
                        struct writer *w, struct status *st)
{
    struct grpc_fields fields;
    int at;

    if (!grpc_read(type->message, value->data, value->len, left, &fields, st))
        return false;
    at = grpc_choice(&fields, 0);
    if (at >= 0)
        print_scalar(w, type->message->fields[at].kind, &fields.last[at]);
    else
        writer_text(w, "null");
    return true;
}

/* A key that stands twice is left to JSON's reader, which refuses it. */
static bool print_map(const struct grpc_fields *fields, size_t *left,
                      struct writer *w, struct status *st)
{
    const struct grpc_field *map = &fields->type->fields[0];
    struct protobuf_reader reader =
        protobuf_read(fields->message, fields->len, left);
    struct protobuf_field field;
    struct grpc_fields entry;
    const char *comma = "{";
    int count = 0;

    while (protobuf_next(&reader, &field)) {
        if (field.number != map->number || field.type != PROTOBUF_BYTES)
            continue;
        if (++count > GRPC_MOST_ENTRIES)
            return status_fail(st, STATUS_INVALID,
                               "%s has more than %d entries", map->name,
                               GRPC_MOST_ENTRIES);
        if (!grpc_read(map->message, field.data, field.len, left, &entry, st))
            return false;
        writer_text(w, comma);
        comma = ",";
        print_scalar(w, GRPC_TEXT, &entry.last[KEY]);
        writer_text(w, ":");
        if (!print_value(&map->message->fields[VALUE], &entry.last[VALUE], left,
                         w, st))
            return false;
    }
    writer_text(w, *comma == '{' ? "{}" : "}");
    return protobuf_end(&reader, st);
}

bool grpc_to_json(const struct grpc_fields *fields, struct writer *w,
                  struct status *st)
{
    size_t left = GRPC_MOST_FIELDS;
    const char *comma = "{";

    if (grpc_is_map(fields->type))
        return print_map(fields, &left, w, st);
    for (int i = 0; i < fields->type->count; i++) {
        const struct grpc_field *field = &fields->type->fields[i];

        if (fields->last[i].number == 0 || !is_scalar(field->kind))
            continue;
        writer_text(w, comma);
        json_write_string(w, field->name);
        writer_text(w, ":");
        comma = ",";
        print_scalar(w, field->kind, &fields->last[i]);
    }
    writer_text(w, *comma == '{' ? "{}" : "}");
    return true;
}

static void write_value(struct writer *w, const struct grpc_field *field,
                        const struct tree_value *value);

static const char *text_of(const struct tree_value *value)
{
    return value && value->kind == TREE_STRING ? value->text : NULL;
}

static uint64_t number_of(const struct grpc_field *field,
                          const struct tree_value *value)
{
    const char *name = text_of(value);

    if (field->kind == GRPC_BOOL)
        return value->kind == TREE_BOOL && value->flag;
    if (field->kind != GRPC_ENUM)
        return value->kind == TREE_INTEGER ? (uint64_t)value->integer : 0;
    for (const struct grpc_enum *e = field->names; name && e->name; e++)
        if (strcmp(e->name, name) == 0)
            return (uint64_t)e->value;
    return 0;
}

static void write_fields(struct writer *w, const struct grpc_message *type,
                         const struct tree_value *json)
{
    for (int i = 0; i < type->count; i++) {
        const struct tree_value *value = tree_get(json, type->fields[i].name);

        if (value)
            write_value(w, &type->fields[i], value);
    }
}

/* The choice that has the type of a scalar. */
static void write_choice(struct writer *w, const struct grpc_message *type,
                         const struct tree_value *value)
{
    for (int i = 0; i < type->count; i++) {
        enum grpc_kind kind = type->fields[i].kind;

        if ((value->kind == TREE_BOOL && kind == GRPC_BOOL) ||
            (value->kind == TREE_INTEGER &&
             (kind == GRPC_INT || kind == GRPC_UINT)) ||
            (value->kind == TREE_STRING && kind == GRPC_TEXT)) {
            write_value(w, &type->fields[i], value);
            return;
        }
    }
}

static void write_map(struct writer *w, const struct grpc_field *field,
                      const struct tree_value *value)
{
    for (const struct tree_value *v = tree_first(value); v; v = v->next) {
        const char *key = v->key ? v->key : text_of(tree_get(v, "name"));
        size_t mark;

        if (!key)
            continue;
        mark = protobuf_write_open(w, field->number);
        protobuf_write_text(w, field->message->fields[KEY].number, key);
        write_value(w, &field->message->fields[VALUE], v);
        protobuf_write_close(w, mark);
    }
}

/* A value that is no list. */
static void write_one(struct writer *w, const struct grpc_field *field,
                      const struct tree_value *value)
{
    size_t mark;

    if (field->kind == GRPC_MESSAGE) {
        mark = protobuf_write_open(w, field->number);
        if (value->kind == TREE_OBJECT)
            write_fields(w, field->message, value);
        else
            write_choice(w, field->message, value);
        protobuf_write_close(w, mark);
    } else if (is_number(field->kind)) {
        protobuf_write_number(w, field->number, number_of(field, value));
    } else if (value->kind == TREE_STRING) {
        protobuf_write_bytes(w, field->number, value->text, value->len);
    }
}

static void write_value(struct writer *w, const struct grpc_field *field,
                        const struct tree_value *value)
{
    const struct tree_value *v = tree_first(value);
    size_t mark;

    if (field->kind == GRPC_MAP) {
        write_map(w, field, value);
    } else if (!field->repeated) {
        write_one(w, field, value);
    } else if (is_number(field->kind)) { /* packed, as proto3 writes them */
        mark = protobuf_write_open(w, field->number);
        for (; v; v = v->next)
            protobuf_write_varint(w, number_of(field, v));
        protobuf_write_close(w, mark);
    } else {
        for (; v; v = v->next)
            write_one(w, field, v);
    }
}

void grpc_from_json(const struct grpc_message *type,
                    const struct tree_value *json, struct writer *w)
{
    if (type->count == 1 && !tree_get(json, type->fields[0].name))
        write_value(w, &type->fields[0], json);
    else
        write_fields(w, type, json);
}
