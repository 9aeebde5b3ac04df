#include <stdlib.h>
#include <string.h>

#include "api/grpc/convert.h"

static void write_value(struct protobuf_writer *w,
                        const struct grpc_field *field,
                        const struct tree_value *value);

static const char *text_of(const struct tree_value *value)
{
    return value && value->kind == TREE_STRING ? value->text : NULL;
}

static uint64_t integer_of(const struct tree_value *value)
{
    return value->kind == TREE_INTEGER ? (uint64_t)value->integer : 0;
}

static double double_of(const struct tree_value *value)
{
    return value->kind == TREE_NUMBER ? strtod(value->text, NULL)
                                      : (double)(int64_t)integer_of(value);
}

static int enum_value(const struct grpc_enum *names,
                      const struct tree_value *value)
{
    const char *name = text_of(value);

    for (; name && names->name; names++)
        if (strcmp(names->name, name) == 0)
            return names->value;
    return 0;
}

static void write_fields(struct protobuf_writer *w,
                         const struct grpc_message *type,
                         const struct tree_value *json)
{
    for (int i = 0; i < type->count; i++) {
        const struct tree_value *value = tree_get(json, type->fields[i].name);

        if (value)
            write_value(w, &type->fields[i], value);
    }
}

/* The choice that has the type of a scalar. */
static void write_choice(struct protobuf_writer *w,
                         const struct grpc_message *type,
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

static void write_message(struct protobuf_writer *w,
                          const struct grpc_field *field,
                          const struct tree_value *value)
{
    size_t mark = protobuf_write_open(w, field->number);

    if (value->kind == TREE_OBJECT)
        write_fields(w, field->message, value);
    else
        write_choice(w, field->message, value);
    protobuf_write_close(w, mark);
}

/* Packed, as proto3 writes them. */
static void write_numbers(struct protobuf_writer *w, uint32_t number,
                          const struct tree_value *list)
{
    size_t mark = protobuf_write_open(w, number);

    for (const struct tree_value *v = tree_first(list); v; v = v->next)
        protobuf_write_varint(w, integer_of(v));
    protobuf_write_close(w, mark);
}

static void write_entry(struct protobuf_writer *w,
                        const struct grpc_field *field, const char *key,
                        const struct tree_value *value)
{
    size_t mark = protobuf_write_open(w, field->number);

    protobuf_write_text(w, field->message->fields[0].number, key);
    write_value(w, &field->message->fields[1], value);
    protobuf_write_close(w, mark);
}

static void write_map(struct protobuf_writer *w, const struct grpc_field *field,
                      const struct tree_value *value)
{
    for (const struct tree_value *v = tree_first(value); v; v = v->next) {
        const char *key = v->key ? v->key : text_of(tree_get(v, "name"));

        if (key)
            write_entry(w, field, key, v);
    }
}

static void write_list(struct protobuf_writer *w,
                       const struct grpc_field *field,
                       const struct tree_value *list)
{
    const struct grpc_field single = {.name = field->name,
                                      .number = field->number,
                                      .kind = field->kind,
                                      .message = field->message,
                                      .names = field->names};

    if (field->kind == GRPC_INT || field->kind == GRPC_UINT) {
        write_numbers(w, field->number, list);
        return;
    }
    for (const struct tree_value *v = tree_first(list); v; v = v->next)
        write_value(w, &single, v);
}

static void write_text(struct protobuf_writer *w,
                       const struct grpc_field *field,
                       const struct tree_value *value)
{
    if (value->kind == TREE_STRING)
        protobuf_write_bytes(w, field->number, value->text, value->len);
}

static void write_scalar(struct protobuf_writer *w,
                         const struct grpc_field *field,
                         const struct tree_value *value)
{
    switch (field->kind) {
    case GRPC_BOOL:
        protobuf_write_number(w, field->number,
                              value->kind == TREE_BOOL && value->flag);
        break;
    case GRPC_INT:
    case GRPC_UINT:
        protobuf_write_number(w, field->number, integer_of(value));
        break;
    case GRPC_DOUBLE:
        protobuf_write_double(w, field->number, double_of(value));
        break;
    case GRPC_ENUM:
        protobuf_write_number(w, field->number,
                              (uint64_t)enum_value(field->names, value));
        break;
    default:
        write_text(w, field, value);
        break;
    }
}

static void write_value(struct protobuf_writer *w,
                        const struct grpc_field *field,
                        const struct tree_value *value)
{
    if (field->kind == GRPC_MAP)
        write_map(w, field, value);
    else if (field->repeated)
        write_list(w, field, value);
    else if (field->kind == GRPC_MESSAGE)
        write_message(w, field, value);
    else
        write_scalar(w, field, value);
}

void grpc_from_json(const struct grpc_message *type,
                    const struct tree_value *json, struct protobuf_writer *w)
{
    if (type->count == 1 && !tree_get(json, type->fields[0].name))
        write_value(w, &type->fields[0], json);
    else
        write_fields(w, type, json);
}
