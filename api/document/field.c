#include "api/document/field.h"

#include <math.h>
#include <string.h>

json_t *field_get(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return json_is_null(value) ? NULL : value;
}

const char *field_type(const json_t *value)
{
    if (!value)
        return "missing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return fabs(json_real_value(value)) < 0x1p62
                   ? "a number with a fraction"
                   : "a number that is no 64-bit integer";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        return "null";
    }
    return "unknown";
}

static bool fail_type(const char *where, const char *key, const char *want,
                      const json_t *value, struct status *st)
{
    return status_fail(st, STATUS_INVALID, "%s%s%s is %s, but it must be %s",
                       where, *where ? "." : "", key, field_type(value), want);
}

bool field_text(const json_t *object, const char *where, const char *key,
                const char **text, struct status *st)
{
    json_t *value = field_get(object, key);

    if (!json_is_string(value))
        return fail_type(where, key, "a string", value, st);
    *text = json_string_value(value);
    if (strlen(*text) != json_string_length(value))
        return status_fail(st, STATUS_INVALID, "%s.%s holds a NUL character",
                           where, key);
    return true;
}

static bool read_dim(const json_t *value, const char *where, int axis,
                     int64_t *dim, struct status *st)
{
    if (!json_is_integer(value))
        return status_fail(st, STATUS_INVALID,
                           "%s.shape[%d] is %s, but a dim is an integer", where,
                           axis, field_type(value));
    *dim = json_integer_value(value);
    if (*dim < 0)
        return status_fail(st, STATUS_INVALID,
                           "%s.shape[%d] is %lld, but a dim is 0 or more",
                           where, axis, (long long)*dim);
    return true;
}

bool field_shape(const json_t *object, const char *where, struct shape *shape,
                 struct status *st)
{
    json_t *value = field_get(object, "shape");
    size_t rank;

    if (!json_is_array(value))
        return fail_type(where, "shape", "an array of integers", value, st);
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
        return fail_type(where, key, "an object", *value, st);
    return true;
}

bool field_objects(const json_t *object, const char *key, int most,
                   json_t **value, struct status *st)
{
    size_t count;

    *value = field_get(object, key);
    if (!*value)
        return true;
    if (!json_is_array(*value))
        return fail_type("", key, "an array of objects", *value, st);
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
                               i, field_type(json_array_get(*value, i)));
    return true;
}
