#include <string.h>

#include "api/grpc/convert.h"

static void write_value(struct protobuf_writer *w,
                        const struct grpc_field *field, const json_t *value);

static int enum_value(const struct grpc_enum *names, const json_t *value)
{
    const char *name = json_string_value(value);

    for (; name && names->name; names++)
        if (strcmp(names->name, name) == 0)
            return names->value;
    return 0;
}

static void write_fields(struct protobuf_writer *w,
                         const struct grpc_message *type, const json_t *json)
{
    for (int i = 0; i < type->count; i++) {
        const json_t *value = json_object_get(json, type->fields[i].name);

        if (value && !json_is_null(value))
            write_value(w, &type->fields[i], value);
    }
}

/* The choice that has the type of a scalar. */
static void write_choice(struct protobuf_writer *w,
                         const struct grpc_message *type, const json_t *value)
{
    for (int i = 0; i < type->count; i++) {
        enum grpc_kind kind = type->fields[i].kind;

        if ((json_is_boolean(value) && kind == GRPC_BOOL) ||
            (json_is_integer(value) &&
             (kind == GRPC_INT || kind == GRPC_UINT)) ||
            (json_is_string(value) && kind == GRPC_TEXT)) {
            write_value(w, &type->fields[i], value);
            return;
        }
    }
}

static void write_message(struct protobuf_writer *w,
                          const struct grpc_field *field, const json_t *value)
{
    size_t mark = protobuf_write_open(w, field->number);

    if (json_is_object(value))
        write_fields(w, field->message, value);
    else
        write_choice(w, field->message, value);
    protobuf_write_close(w, mark);
}

/* Packed, as proto3 writes them. */
static void write_numbers(struct protobuf_writer *w, uint32_t number,
                          const json_t *list)
{
    size_t mark = protobuf_write_open(w, number);

    for (size_t i = 0; i < json_array_size(list); i++)
        protobuf_write_varint(
            w, (uint64_t)json_integer_value(json_array_get(list, i)));
    protobuf_write_close(w, mark);
}

static void write_entry(struct protobuf_writer *w,
                        const struct grpc_field *field, const char *key,
                        const json_t *value)
{
    size_t mark = protobuf_write_open(w, field->number);

    protobuf_write_text(w, field->message->fields[0].number, key);
    write_value(w, &field->message->fields[1], value);
    protobuf_write_close(w, mark);
}

static void write_map(struct protobuf_writer *w, const struct grpc_field *field,
                      const json_t *value)
{
    const char *key;
    json_t *entry;

    for (size_t i = 0; i < json_array_size(value); i++) {
        entry = json_array_get(value, i);
        key = json_string_value(json_object_get(entry, "name"));
        if (key)
            write_entry(w, field, key, entry);
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, entry)
        write_entry(w, field, key, entry);
}

static void write_list(struct protobuf_writer *w,
                       const struct grpc_field *field, const json_t *list)
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
    for (size_t i = 0; i < json_array_size(list); i++)
        write_value(w, &single, json_array_get(list, i));
}

static void write_text(struct protobuf_writer *w,
                       const struct grpc_field *field, const json_t *value)
{
    if (json_is_string(value))
        protobuf_write_bytes(w, field->number, json_string_value(value),
                             json_string_length(value));
}

static void write_scalar(struct protobuf_writer *w,
                         const struct grpc_field *field, const json_t *value)
{
    switch (field->kind) {
    case GRPC_BOOL:
        protobuf_write_number(w, field->number, json_is_true(value));
        break;
    case GRPC_INT:
    case GRPC_UINT:
        protobuf_write_number(w, field->number,
                              (uint64_t)json_integer_value(value));
        break;
    case GRPC_DOUBLE:
        protobuf_write_double(w, field->number, json_number_value(value));
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
                        const struct grpc_field *field, const json_t *value)
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

void grpc_from_json(const struct grpc_message *type, const json_t *json,
                    struct protobuf_writer *w)
{
    if (type->count == 1 && !json_object_get(json, type->fields[0].name))
        write_value(w, &type->fields[0], json);
    else
        write_fields(w, type, json);
}
