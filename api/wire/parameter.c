#include "api/wire/parameter.h"

#include <math.h>
#include <stdio.h>

#include "api/document/misplaced.h"

static void set_int(struct document_parameter *value, uint64_t number,
                    bool has_sign)
{
    bool fits = has_sign || number <= INT64_MAX;

    value->kind = fits ? DOCUMENT_INT : DOCUMENT_REAL; /* as in JSON */
    value->integer = (int64_t)number;
    value->real = fits ? (double)value->integer : (double)number;
    value->is_unsigned = !fits;
}

/* A whole number is an integer, as in JSON. */
static void set_real(struct document_parameter *value, uint64_t bits)
{
    double real;

    memcpy(&real, &bits, sizeof(real));
    value->kind = DOCUMENT_REAL;
    value->real = real;
    if (!(fabs(real) < 0x1p63) || trunc(real) != real)
        return;
    value->kind = DOCUMENT_INT;
    value->integer = (int64_t)real;
}

/* The last of the choices counts. */
static bool read_choice(const struct protobuf_field *field, const char *where,
                        struct parameter *p, struct status *st)
{
    struct document_parameter *value = &p->value;
    bool varint = field->type == PROTOBUF_VARINT;

    if (field->number == PARAMETER_BOOL && varint) {
        value->kind = DOCUMENT_BOOL;
        value->flag = field->value != 0;
    } else if (field->number == PARAMETER_INT64 && varint) {
        set_int(value, field->value, true);
    } else if (field->number == PARAMETER_UINT64 && varint) {
        set_int(value, field->value, false);
    } else if (field->number == PARAMETER_DOUBLE &&
               field->type == PROTOBUF_FIXED64) {
        set_real(value, field->value);
    } else if (field->number == PARAMETER_STRING &&
               field->type == PROTOBUF_BYTES) {
        value->kind = DOCUMENT_TEXT;
        p->has_value = true;
        return protobuf_text(field, where, &p->text, st);
    } else {
        return true;
    }
    p->has_value = true;
    return true;
}

static bool read_value(const struct protobuf_reader *outer,
                       const struct protobuf_field *field, const char *where,
                       struct parameter *p, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, field);
    struct protobuf_field choice;

    while (protobuf_next(&reader, &choice))
        if (!read_choice(&choice, where, p, st))
            return false;
    return protobuf_end(&reader, st);
}

bool parameter_read(const struct protobuf_reader *outer,
                    const struct protobuf_field *entry, const char *where,
                    struct parameter *p, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, entry);
    struct protobuf_field field;

    *p = (struct parameter){.key = {"", 0}};
    while (protobuf_next(&reader, &field)) {
        if (field.type != PROTOBUF_BYTES)
            continue;
        if (field.number == ENTRY_KEY &&
            !protobuf_name(&field, where, &p->key, st))
            return false;
        if (field.number == ENTRY_VALUE &&
            !read_value(&reader, &field, where, p, st))
            return false;
    }
    return protobuf_end(&reader, st);
}

char *parameter_text(const struct protobuf_text *text, char **at)
{
    char *copy = *at;

    if (text->len > 0)
        memcpy(copy, text->text, text->len);
    copy[text->len] = '\0';
    *at += text->len + 1;
    return copy;
}

bool parameter_store(const struct parameter *p, const char *where, char **at,
                     struct document_parameter *stored, struct status *st)
{
    *stored = p->value;
    stored->key = parameter_text(&p->key, at);
    if (!p->has_value)
        return status_fail(st, STATUS_INVALID, "%s.%.40s has no value", where,
                           stored->key);
    if (stored->kind != DOCUMENT_TEXT)
        return true;
    stored->text = parameter_text(&p->text, at);
    if (strlen(stored->text) != p->text.len) /* as in JSON */
        stored->kind = DOCUMENT_OTHER;
    return misplaced_pass_text(stored->key, stored->text, where, st);
}
