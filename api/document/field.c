#include "api/document/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/number/number.h"
#include "kernels/core/shorten.h"

json_t *field_get(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return json_is_null(value) ? NULL : value;
}

/* The text of a number that is not plain; NULL for any other value. */
static const char *number_text(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && *text == FIELD_NUMBER ? text + 1 : NULL;
}

bool field_is_string(const json_t *value)
{
    return json_is_string(value) && !number_text(value);
}

bool field_integer(const json_t *value, int64_t *integer)
{
    const char *text = number_text(value);

    *integer = json_integer_value(value);
    return json_is_integer(value) ||
           (text && integer_read(text, strlen(text), integer) == INTEGER_EXACT);
}

const char *field_type(const json_t *value, char *text)
{
    const char *number = number_text(value);

    if (!value)
        return "missing";
    if (number)
        return shorten(number, strlen(number), text, FIELD_TYPE_SIZE);
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "an integer";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        return "null";
    }
    return "unknown";
}

const char *field_number(const json_t *value, char *text)
{
    if (number_text(value))
        return field_type(value, text);
    snprintf(text, FIELD_TYPE_SIZE, "%lld",
             (long long)json_integer_value(value));
    return text;
}

bool field_fail(const char *where, const char *key, const json_t *value,
                const char *want, struct status *st)
{
    char type[FIELD_TYPE_SIZE];

    return status_fail(st, STATUS_INVALID, "%s%s%.40s is %s, but it must be %s",
                       where, *where ? "." : "", key, field_type(value, type),
                       want);
}

bool field_text(const json_t *object, const char *where, const char *key,
                const char **text, struct status *st)
{
    json_t *value = field_get(object, key);

    if (!field_is_string(value))
        return field_fail(where, key, value, "a string", st);
    *text = json_string_value(value);
    if (strlen(*text) != json_string_length(value))
        return status_fail(st, STATUS_INVALID, "%s.%s holds a NUL character",
                           where, key);
    return true;
}

bool field_bool(const json_t *value, const char *where, const char *key,
                bool *flag, struct status *st)
{
    *flag = json_is_true(value);
    return json_is_boolean(value) ||
           field_fail(where, key, value, "a boolean", st);
}

bool field_size(const json_t *value, const char *where, const char *key,
                uint64_t *size, struct status *st)
{
    char text[FIELD_TYPE_SIZE];
    int64_t number;

    if (!field_integer(value, &number))
        return field_fail(where, key, value, "an integer from 0 to 2^63 - 1",
                          st);
    *size = (uint64_t)number;
    return number >= 0 ||
           status_fail(st, STATUS_INVALID,
                       "%s%s%s is %s, but it must be 0 or more", where,
                       *where ? "." : "", key, field_number(value, text));
}

static bool read_dim(const json_t *value, const char *where, int axis,
                     int64_t *dim, struct status *st)
{
    char type[FIELD_TYPE_SIZE];

    if (!field_integer(value, dim))
        return status_fail(st, STATUS_INVALID,
                           "%s.shape[%d] is %s, but a dim is an integer below "
                           "2^63",
                           where, axis, field_type(value, type));
    if (*dim < 0)
        return status_fail(st, STATUS_INVALID,
                           "%s.shape[%d] is %s, but a dim is 0 or more", where,
                           axis, field_number(value, type));
    return true;
}

bool field_shape(const json_t *object, const char *where, struct shape *shape,
                 struct status *st)
{
    json_t *value = field_get(object, "shape");
    size_t rank;

    if (!json_is_array(value))
        return field_fail(where, "shape", value, "an array of integers", st);
    rank = json_array_size(value);
    if (rank > SHAPE_MAX_RANK)
        return status_fail(st, STATUS_INVALID,
                           "%s.shape has rank %zu, but the limit is %d", where,
                           rank, SHAPE_MAX_RANK);
    shape->rank = (int)rank;
    for (int i = 0; i < shape->rank; i++)
        if (!read_dim(json_array_get(value, (size_t)i), where, i,
                      &shape->dims[i], st))
            return false;
    return true;
}

bool field_object(const json_t *object, const char *where, const char *key,
                  json_t **value, struct status *st)
{
    *value = field_get(object, key);
    if (*value && !json_is_object(*value))
        return field_fail(where, key, *value, "an object", st);
    return true;
}

bool field_objects(const json_t *object, const char *key, int most,
                   json_t **value, struct status *st)
{
    char type[FIELD_TYPE_SIZE];
    size_t count;

    *value = field_get(object, key);
    if (!*value)
        return true;
    if (!json_is_array(*value))
        return field_fail("", key, *value, "an array of objects", st);
    count = json_array_size(*value);
    if (count > (size_t)most)
        return status_fail(st, STATUS_INVALID,
                           "%s has %zu entries, but no model takes more than "
                           "%d",
                           key, count, most);
    for (size_t i = 0; i < count; i++)
        if (!json_is_object(json_array_get(*value, i)))
            return status_fail(st, STATUS_INVALID,
                               "%s[%zu] is %s, but it must be an object", key,
                               i, field_type(json_array_get(*value, i), type));
    return true;
}

static bool read_text_list(const json_t *value, struct document_parameter *p)
{
    const json_t *only = json_array_get(value, 0);

    if (json_array_size(value) != 1 || !field_is_string(only))
        return false;
    p->kind = DOCUMENT_TEXT_LIST;
    p->text = json_string_value(only);
    return strlen(p->text) == json_string_length(only);
}

/* Keeps the sign of -0.0 beside the integer 0. */
static void read_number(const json_t *value, struct document_parameter *p)
{
    p->text = number_text(value);
    p->kind = field_integer(value, &p->integer) ? DOCUMENT_INT : DOCUMENT_REAL;
    if (!number_parse_double(p->text, strlen(p->text), &p->real))
        p->real = *p->text == '-' ? -HUGE_VAL : HUGE_VAL;
}

void field_parameter(const char *key, const json_t *value,
                     struct document_parameter *p)
{
    *p = (struct document_parameter){.key = key};
    if (json_is_integer(value)) {
        p->kind = DOCUMENT_INT;
        p->integer = json_integer_value(value);
        p->real = (double)p->integer;
    } else if (number_text(value)) {
        read_number(value, p);
    } else if (json_is_boolean(value)) {
        p->kind = DOCUMENT_BOOL;
        p->flag = json_is_true(value);
    } else if (json_is_string(value)) {
        p->text = json_string_value(value);
        p->kind = strlen(p->text) == json_string_length(value) ? DOCUMENT_TEXT
                                                               : DOCUMENT_OTHER;
    } else if (!read_text_list(value, p)) {
        p->kind = DOCUMENT_OTHER;
    }
}
