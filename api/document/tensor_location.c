#include "api/document/tensor_location.h"

#include <string.h>

#include "api/document/field.h"

static bool refuse_key(const char *where, const char *key, const char *known,
                       struct status *st)
{
    return status_fail(st, STATUS_INVALID,
                       "%s.parameters.%.40s is unknown; known are %s, "
                       "shared_memory_region, shared_memory_offset, "
                       "shared_memory_byte_size",
                       where, key, known);
}

static bool read_size(const json_t *value, const char *where, const char *key,
                      uint64_t *size, struct status *st)
{
    if (!json_is_integer(value))
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.%s is %s, but it must be an integer",
                           where, key, field_type(value));
    if (json_integer_value(value) < 0)
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.%s is %lld, but it must be 0 or more",
                           where, key, (long long)json_integer_value(value));
    *size = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_region(const json_t *value, const char *where,
                        struct document_region *region, struct status *st)
{
    if (!json_is_string(value) || json_string_length(value) == 0 ||
        strlen(json_string_value(value)) != json_string_length(value))
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.shared_memory_region must be a "
                           "region's name",
                           where);
    region->name = json_string_value(value);
    return true;
}

static bool read_one(const char *where, const char *key, json_t *value,
                     struct tensor_location *location, struct status *st)
{
    if (strcmp(key, location->key) == 0) {
        location->value = value;
        return true;
    }
    if (strcmp(key, "shared_memory_region") == 0)
        return read_region(value, where, &location->region, st);
    if (strcmp(key, "shared_memory_offset") == 0) {
        location->has_offset = true;
        return read_size(value, where, key, &location->region.offset, st);
    }
    if (strcmp(key, "shared_memory_byte_size") == 0) {
        location->has_bytes = true;
        return read_size(value, where, key, &location->region.bytes, st);
    }
    return refuse_key(where, key, location->key, st);
}

bool tensor_location_read(const json_t *object, const char *where,
                          struct tensor_location *location, struct status *st)
{
    json_t *parameters, *value;
    const char *key;

    if (!field_object(object, where, "parameters", &parameters, st))
        return false;
    json_object_foreach(parameters, key, value)
    {
        if (!json_is_null(value) && !read_one(where, key, value, location, st))
            return false;
    }
    if (!location->region.name && (location->has_offset || location->has_bytes))
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters has shared_memory_%s without "
                           "shared_memory_region",
                           where, location->has_bytes ? "byte_size" : "offset");
    if (location->region.name && !location->has_bytes)
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters has shared_memory_region without "
                           "shared_memory_byte_size",
                           where);
    return true;
}

bool tensor_location_bytes(const struct tensor_location *location,
                           const char *where, uint64_t *size, struct status *st)
{
    return read_size(location->value, where, location->key, size, st);
}
