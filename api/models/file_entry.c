#include "api/models/file_entry.h"

#include <stdio.h>
#include <string.h>

#include "api/document/datatype.h"
#include "api/document/field.h"
#include "api/models/request_parameters.h"
#include "kernels/ops/op.h"

static void set_part(struct file_entry *entry, const char *below,
                     const char *key)
{
    snprintf(entry->path, sizeof(entry->path), "models[%zu]%s", entry->index,
             below);
    entry->key = key;
}

/* True if the text can be a name in a URL. */
static bool is_name(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    return len > 0 && len <= API_MODEL_NAME_MAX && text[len] == '\0';
}

static bool fail_op(const char *name, struct status *st)
{
    char known[200] = "";
    size_t len = 0;

    for (int i = 0; op_table[i] && len < sizeof(known); i++)
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
                                i ? ", " : "", op_table[i]->name);
    return status_fail(st, STATUS_INVALID,
                       "op is %.40s, but it must be one of %s",
                       name ? name : "missing", known);
}

static bool read_op(struct file_entry *entry, struct status *st)
{
    const char *name = entry->text;
    const struct op *op = name ? op_table_find(name, strlen(name)) : NULL;

    if (!op)
        return fail_op(name, st);
    model_init(entry->model, op);
    return true;
}

static bool read_name(struct file_entry *entry, struct status *st)
{
    const char *name = entry->text;

    if (!name || !is_name(name) || strcmp(name, "stats") == 0)
        return status_fail(st, STATUS_INVALID,
                           "name is %s%.40s%s, but it must be 1 to %d of A-Z, "
                           "a-z, 0-9, '_', '.', '-', and not 'stats'",
                           name ? "'" : "", name ? name : "missing",
                           name ? "'" : "", API_MODEL_NAME_MAX);
    for (const struct model *m = entry->set->models; m < entry->model; m++)
        if (strcmp(m->name, name) == 0)
            return status_fail(st, STATUS_INVALID,
                               "there is a model '%s' already", name);
    entry->model->name = name;
    return true;
}

static bool read_version(struct file_entry *entry, struct status *st)
{
    const char *version = entry->text;

    entry->model->version = version ? version : "1";
    return !version ||
           (*version && strlen(version) <= 9 &&
            strspn(version, "0123456789") == strlen(version)) ||
           status_fail(st, STATUS_INVALID,
                       "version is '%.40s', but it must be 1 to 9 digits",
                       version);
}

static bool read_datatype(struct file_entry *entry, struct status *st)
{
    const char *name = entry->text;

    entry->model->typed = name != NULL;
    return !name ||
           datatype_read(name, strlen(name), "", &entry->model->datatype, st);
}

static bool read_dim(struct file_entry *entry, const json_t *value, int axis,
                     struct status *st)
{
    int64_t *dim = &entry->model->shape.dims[axis];
    char below[32], type[FIELD_TYPE_SIZE];
    bool is_integer = field_integer(value, dim);

    if (is_integer && *dim >= -1)
        return true;
    snprintf(below, sizeof(below), ".shape[%d]", axis);
    set_part(entry, below, NULL);
    if (!is_integer)
        return status_fail(st, STATUS_INVALID,
                           "a dim must be an integer below 2^63, not %s",
                           field_type(value, type));
    return status_fail(st, STATUS_INVALID,
                       "a dim must be 0 or more, or -1 for any, not %s",
                       field_number(value, type));
}

static bool read_shape(struct file_entry *entry, struct status *st)
{
    json_t *shape = field_get(entry->object, "shape");
    size_t rank = json_array_size(shape);

    entry->model->shaped = shape != NULL;
    if (shape && (!json_is_array(shape) || rank > SHAPE_MAX_RANK))
        return status_fail(st, STATUS_INVALID,
                           "shape must be an array of at most %d dims",
                           SHAPE_MAX_RANK);
    entry->model->shape.rank = (int)rank;
    for (int i = 0; i < (int)rank; i++)
        if (!read_dim(entry, json_array_get(shape, (size_t)i), i, st))
            return false;
    return true;
}

static bool read_attributes(struct file_entry *entry, struct status *st)
{
    struct document_parameter p;
    json_t *attributes, *value;
    const char *key;

    if (!field_object(entry->object, "", "attributes", &attributes, st))
        return false;
    json_object_foreach(attributes, key, value)
    {
        set_part(entry, ".attributes", key);
        field_parameter(key, value, &p);
        if (!request_parameters_read_attribute(entry->model->op, &p,
                                               entry->model->fixed, st))
            return false;
    }
    return true;
}

/* {"Y": "features"}: the only output there is, under another name. */
static bool read_outputs(struct file_entry *entry, struct status *st)
{
    json_t *outputs, *value;
    const char *key;

    if (!field_object(entry->object, "", "outputs", &outputs, st))
        return false;
    json_object_foreach(outputs, key, value)
    {
        set_part(entry, ".outputs", key);
        if (strcmp(key, entry->model->op->output) != 0)
            return status_fail(
                st, STATUS_INVALID, "'%.40s' is no output of %s: '%s'", key,
                entry->model->op->name, entry->model->op->output);
        entry->model->output = json_string_value(value);
        if (!entry->model->output || !is_name(entry->model->output))
            return status_fail(st, STATUS_INVALID,
                               "'%.40s' must have a name of A-Z, a-z, 0-9, "
                               "'_', '.', '-'",
                               key);
    }
    return true;
}

/* In the order in which faults are reported. */
static const struct field {
    const char *key;
    bool is_text; /* entry->text is the string, or NULL when it is absent */
    bool (*read)(struct file_entry *entry, struct status *st);
} fields[] = {
    {"op", true, read_op},
    {"name", true, read_name},
    {"version", true, read_version},
    {"datatype", true, read_datatype},
    {"shape", false, read_shape},
    {"attributes", false, read_attributes},
    {"outputs", false, read_outputs},
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static bool check_keys(struct file_entry *entry, struct status *st)
{
    json_t *value;

    json_object_foreach(entry->object, entry->key, value)
    {
        int i = 0;

        while (i < FIELDS && strcmp(fields[i].key, entry->key) != 0)
            i++;
        if (i == FIELDS)
            return status_fail(st, STATUS_INVALID,
                               "'%.40s' is unknown; known are name, op, "
                               "version, datatype, shape, attributes, outputs",
                               entry->key);
    }
    return true;
}

static bool read_field(struct file_entry *entry, const struct field *field,
                       struct status *st)
{
    set_part(entry, "", field->key);
    entry->text = NULL;
    if (field->is_text && field_get(entry->object, field->key) &&
        !field_text(entry->object, "", field->key, &entry->text, st))
        return false;
    return field->read(entry, st);
}

bool file_entry_read(struct file_entry *entry, struct status *st)
{
    set_part(entry, "", NULL);
    if (!entry->model)
        return status_fail(st, STATUS_TOO_LARGE, "more than %d models",
                           API_MODEL_SLOTS);
    if (!json_is_object(entry->object))
        return status_fail(st, STATUS_INVALID, "must be an object");
    if (!check_keys(entry, st))
        return false;
    for (int i = 0; i < FIELDS; i++)
        if (!read_field(entry, &fields[i], st))
            return false;
    set_part(entry, "", NULL);
    return model_check(entry->model, &entry->key, st);
}
