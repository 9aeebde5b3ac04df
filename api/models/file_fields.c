#include "api/models/file_fields.h"

#include <stdio.h>
#include <string.h>

#include "api/document/field.h"
#include "api/models/request_parameters.h"

static bool read_dim(const struct file_entry *entry, const json_t *value,
                     int axis, struct status *st)
{
    char key[FILE_ENTRY_PATH + 24];

    entry->model->shape.dims[axis] = json_integer_value(value);
    if (json_is_integer(value) && json_integer_value(value) >= -1)
        return true;
    status_fail(st, STATUS_INVALID,
                "must be an integer of 0 or more, or -1 for any");
    snprintf(key, sizeof(key), "%s.shape[%d]", entry->path, axis);
    return file_entry_fail_at(entry, key, NULL, st);
}

bool file_fields_read_shape(const struct file_entry *entry, struct status *st)
{
    json_t *shape = field_get(entry->object, "shape");
    size_t rank = json_array_size(shape);

    entry->model->shaped = shape != NULL;
    if (!shape)
        return true;
    if (!json_is_array(shape) || rank > SHAPE_MAX_RANK) {
        status_fail(st, STATUS_INVALID,
                    "shape must be an array of at most %d dims",
                    SHAPE_MAX_RANK);
        return file_entry_fail(entry, "shape", st);
    }
    entry->model->shape.rank = (int)rank;
    for (int i = 0; i < (int)rank; i++)
        if (!read_dim(entry, json_array_get(shape, (size_t)i), i, st))
            return false;
    return true;
}

bool file_fields_read_attributes(const struct file_entry *entry,
                                 struct status *st)
{
    struct document_parameter p;
    char path[FILE_ENTRY_PATH + 16];
    json_t *attributes, *value;
    const char *key;

    if (!field_object(entry->object, "", "attributes", &attributes, st))
        return file_entry_fail(entry, "attributes", st);
    snprintf(path, sizeof(path), "%s.attributes", entry->path);
    json_object_foreach(attributes, key, value)
    {
        field_parameter(key, value, &p);
        if (!request_parameters_read_attribute(entry->model->op, &p,
                                               entry->model->fixed, st))
            return file_entry_fail_at(entry, path, key, st);
    }
    return true;
}

/* {"Y": "features"}: the only output there is, under another name. */
bool file_fields_read_outputs(const struct file_entry *entry, struct status *st)
{
    char path[FILE_ENTRY_PATH + 16];
    json_t *outputs, *value;
    const char *key;

    if (!field_object(entry->object, "", "outputs", &outputs, st))
        return file_entry_fail(entry, "outputs", st);
    snprintf(path, sizeof(path), "%s.outputs", entry->path);
    json_object_foreach(outputs, key, value)
    {
        const char *name = json_string_value(value);

        if (strcmp(key, entry->model->op->output) != 0)
            status_fail(st, STATUS_INVALID, "'%.40s' is no output of %s: '%s'",
                        key, entry->model->op->name, entry->model->op->output);
        else if (!name || !file_entry_is_name(name))
            status_fail(st, STATUS_INVALID,
                        "'%.40s' must have a name of A-Z, a-z, 0-9, '_', '.', "
                        "'-'",
                        key);
        else {
            entry->model->output = name;
            continue;
        }
        return file_entry_fail_at(entry, path, key, st);
    }
    return true;
}
