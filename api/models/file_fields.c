/* What a graph would fix about a model: shape, attributes, output names. */
#include <stdio.h>
#include <string.h>

#include "api/document/line.h"
#include "api/document/parameters.h"
#include "api/models/file.h"
#include "api/models/settings.h"

bool models_file_fail_at(const struct models_file *file, const char *path,
                         const char *key, struct status *st)
{
    struct status what = *st;

    return status_fail(st, what.code, "line %zu: %s: %s",
                       line_of_value(file->text, path, key), path,
                       what.message);
}

bool models_file_fail(const struct models_file *file, const char *key,
                      struct status *st)
{
    return models_file_fail_at(file, file->path, key, st);
}

static bool read_dim(const struct models_file *file, const json_t *value,
                     int axis, struct status *st)
{
    char key[MODELS_FILE_PATH + 24];

    file->model->shape.dims[axis] = json_integer_value(value);
    if (json_is_integer(value) && json_integer_value(value) >= -1)
        return true;
    status_fail(st, STATUS_INVALID,
                "must be an integer of 0 or more, or -1 for any");
    snprintf(key, sizeof(key), "%s.shape[%d]", file->path, axis);
    return models_file_fail_at(file, key, NULL, st);
}

bool models_file_shape(const struct models_file *file, struct status *st)
{
    json_t *shape = field_get(file->entry, "shape");
    size_t rank = json_array_size(shape);

    file->model->shaped = shape != NULL;
    if (!shape)
        return true;
    if (!json_is_array(shape) || rank > TENSOR_MAX_RANK) {
        status_fail(st, STATUS_INVALID,
                    "shape must be an array of at most %d dims",
                    TENSOR_MAX_RANK);
        return models_file_fail(file, "shape", st);
    }
    file->model->shape.rank = (int)rank;
    for (int i = 0; i < (int)rank; i++)
        if (!read_dim(file, json_array_get(shape, (size_t)i), i, st))
            return false;
    return true;
}

bool models_file_attributes(const struct models_file *file, struct status *st)
{
    struct document_parameter p;
    char path[MODELS_FILE_PATH + 16];
    json_t *attributes, *value;
    const char *key;

    if (!field_object(file->entry, "", "attributes", &attributes, st))
        return models_file_fail(file, "attributes", st);
    snprintf(path, sizeof(path), "%s.attributes", file->path);
    json_object_foreach(attributes, key, value)
    {
        parameters_read_value(key, value, &p);
        if (!settings_attribute(file->model->op, &p, file->model->fixed, st))
            return models_file_fail_at(file, path, key, st);
    }
    return true;
}

/* {"Y": "features"}: the only output there is, under another name. */
bool models_file_outputs(const struct models_file *file, struct status *st)
{
    char path[MODELS_FILE_PATH + 16];
    json_t *outputs, *value;
    const char *key;

    if (!field_object(file->entry, "", "outputs", &outputs, st))
        return models_file_fail(file, "outputs", st);
    snprintf(path, sizeof(path), "%s.outputs", file->path);
    json_object_foreach(outputs, key, value)
    {
        const char *name = json_string_value(value);

        if (strcmp(key, file->model->op->output) != 0)
            status_fail(st, STATUS_INVALID, "'%.40s' is no output of %s: '%s'",
                        key, file->model->op->name, file->model->op->output);
        else if (!name || !models_file_is_name(name))
            status_fail(st, STATUS_INVALID,
                        "'%.40s' must have a name of A-Z, a-z, 0-9, '_', '.', "
                        "'-'",
                        key);
        else {
            file->model->output = name;
            continue;
        }
        return models_file_fail_at(file, path, key, st);
    }
    return true;
}
