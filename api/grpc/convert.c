/* Messages to JSON and back, by their tables. */
#include <stdlib.h>
#include <string.h>

#include "api/grpc/methods.h"

struct source {
    const unsigned char *message;
    size_t len;
    size_t *left; /* for protobuf_read() */
};

static enum protobuf_type type_of(enum grpc_kind kind)
{
    switch (kind) {
    case GRPC_BOOL:
    case GRPC_INT:
    case GRPC_UINT:
    case GRPC_ENUM:
        return PROTOBUF_VARINT;
    case GRPC_DOUBLE:
        return PROTOBUF_FIXED64;
    default:
        return PROTOBUF_BYTES;
    }
}

/* The field that its number and type say; NULL for an unknown one. */
static const struct grpc_field *find(const struct grpc_message *type,
                                     const struct protobuf_field *field)
{
    for (int i = 0; i < type->count; i++)
        if (type->fields[i].number == field->number &&
            type_of(type->fields[i].kind) == field->type)
            return &type->fields[i];
    return NULL;
}

static bool check_text(const struct grpc_field *known,
                       const struct protobuf_field *field, struct status *st)
{
    struct protobuf_text text;

    return known->kind != GRPC_TEXT ||
           protobuf_text(field, known->name, &text, st);
}

/* Finds the last one of each field; `last` has type->count elements, whose
 * number is 0 for an absent one. */
static bool find_last(const struct grpc_message *type,
                      const struct source *source, struct protobuf_field *last,
                      struct status *st)
{
    struct protobuf_reader reader =
        protobuf_read(source->message, source->len, source->left);
    struct protobuf_field field;

    memset(last, 0, (size_t)type->count * sizeof(*last));
    while (protobuf_next(&reader, &field)) {
        const struct grpc_field *known = find(type, &field);

        if (!known)
            continue;
        if (!check_text(known, &field, st))
            return false;
        last[known - type->fields] = field;
    }
    return protobuf_end(&reader, st);
}

static void print_scalar(struct json_writer *w, enum grpc_kind kind,
                         const struct protobuf_field *field)
{
    switch (kind) {
    case GRPC_BOOL:
        json_writer_raw(w, field->value != 0 ? "true" : "false");
        break;
    case GRPC_INT:
        json_writer_int(w, (int64_t)field->value);
        break;
    case GRPC_UINT:
        json_writer_uint(w, field->value);
        break;
    default:
        json_writer_string_bytes(
            w, field->data ? (const char *)field->data : "", field->len);
        break;
    }
}

static bool is_scalar(enum grpc_kind kind)
{
    return kind == GRPC_BOOL || kind == GRPC_INT || kind == GRPC_UINT ||
           kind == GRPC_TEXT;
}

/* A message with one choice as that choice; null without one. */
static bool print_choice(const struct grpc_message *type,
                         const struct protobuf_field *value, size_t *left,
                         struct json_writer *w, struct status *st)
{
    struct protobuf_reader reader =
        protobuf_read(value->data, value->len, left);
    const struct grpc_field *chosen = NULL;
    struct protobuf_field field, last = {0};

    while (protobuf_next(&reader, &field)) {
        const struct grpc_field *known = find(type, &field);

        if (!known)
            continue;
        if (!check_text(known, &field, st))
            return false;
        chosen = known;
        last = field;
    }
    if (chosen && is_scalar(chosen->kind))
        print_scalar(w, chosen->kind, &last);
    else
        json_writer_raw(w, "null");
    return protobuf_end(&reader, st);
}

enum { KEY, VALUE, ENTRY_FIELDS };

struct entries {
    int count;
    struct protobuf_field fields[GRPC_MOST_ENTRIES][ENTRY_FIELDS];
};

static bool is_same(const struct protobuf_field *a,
                    const struct protobuf_field *b)
{
    return a->len == b->len &&
           (a->len == 0 || !memcmp(a->data, b->data, a->len));
}

/* An entry with a key that is there takes that one's place. */
static bool add_entry(struct entries *entries, const struct grpc_field *map,
                      const struct source *source, struct status *st)
{
    struct protobuf_field found[ENTRY_FIELDS];
    int at = 0;

    if (!find_last(map->message, source, found, st))
        return false;
    while (at < entries->count &&
           !is_same(&entries->fields[at][KEY], &found[KEY]))
        at++;
    if (at == GRPC_MOST_ENTRIES)
        return status_fail(st, STATUS_INVALID, "%s has more than %d entries",
                           map->name, GRPC_MOST_ENTRIES);
    entries->count += at == entries->count;
    memcpy(entries->fields[at], found, sizeof(found));
    return true;
}

static bool print_entries(const struct entries *entries,
                          const struct grpc_field *map, size_t *left,
                          struct json_writer *w, struct status *st)
{
    const struct grpc_field *value = &map->message->fields[VALUE];

    json_writer_raw(w, "{");
    for (int i = 0; i < entries->count; i++) {
        const struct protobuf_field *entry = entries->fields[i];

        json_writer_raw(w, i > 0 ? "," : "");
        print_scalar(w, GRPC_TEXT, &entry[KEY]);
        json_writer_raw(w, ":");
        if (is_scalar(value->kind))
            print_scalar(w, value->kind, &entry[VALUE]);
        else if (!print_choice(value->message, &entry[VALUE], left, w, st))
            return false;
    }
    json_writer_raw(w, "}");
    return true;
}

static bool print_map(const struct grpc_field *map, const struct source *source,
                      struct json_writer *w, struct status *st)
{
    struct protobuf_reader reader =
        protobuf_read(source->message, source->len, source->left);
    struct protobuf_field field;
    struct entries entries;

    entries.count = 0;
    while (protobuf_next(&reader, &field)) {
        const struct source entry = {field.data, field.len, source->left};

        if (field.number == map->number && field.type == PROTOBUF_BYTES &&
            !add_entry(&entries, map, &entry, st))
            return false;
    }
    return protobuf_end(&reader, st) &&
           print_entries(&entries, map, source->left, w, st);
}

bool grpc_read(const struct grpc_message *type, const unsigned char *message,
               size_t len, struct grpc_fields *fields, struct status *st)
{
    size_t left = type->count > 0 ? (size_t)GRPC_MOST_FIELDS
                                  : (size_t)API_GRPC_SMALL_MESSAGE;
    const struct source source = {message, len, &left};

    fields->type = type;
    fields->message = message;
    fields->len = len;
    return find_last(type, &source, fields->last, st);
}

struct protobuf_text grpc_text(const struct grpc_fields *fields,
                               uint32_t number)
{
    struct protobuf_text text = {"", 0};

    for (int i = 0; i < fields->type->count; i++)
        if (fields->last[i].number == number &&
            fields->type->fields[i].kind == GRPC_TEXT)
            text = (struct protobuf_text){(const char *)fields->last[i].data,
                                          fields->last[i].len};
    return text;
}

static void print_fields(const struct grpc_fields *fields,
                         struct json_writer *w)
{
    const char *comma = "{";

    for (int i = 0; i < fields->type->count; i++) {
        const struct grpc_field *field = &fields->type->fields[i];

        if (fields->last[i].number == 0 || !is_scalar(field->kind))
            continue;
        json_writer_raw(w, comma);
        json_writer_string(w, field->name);
        json_writer_raw(w, ":");
        comma = ",";
        print_scalar(w, field->kind, &fields->last[i]);
    }
    json_writer_raw(w, *comma == '{' ? "{}" : "}");
}

bool grpc_to_json(const struct grpc_fields *fields, struct json_writer *w,
                  struct status *st)
{
    size_t left = GRPC_MOST_FIELDS;
    const struct source source = {fields->message, fields->len, &left};

    if (grpc_is_map(fields->type))
        return print_map(&fields->type->fields[0], &source, w, st);
    print_fields(fields, w);
    return true;
}

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
