#include "api/models/file_entry.h"

#include <stdio.h>
#include <string.h>

#include "api/document/datatype.h"
#include "api/document/document.h"
#include "api/document/field.h"
#include "api/models/request_parameters.h"
#include "kernels/ops/op_table.h"

static void set_part(struct file_entry *entry, const char *below,
                     const struct tree_value *part)
{
    snprintf(entry->path, sizeof(entry->path), "models[%zu]%s", entry->index,
             below);
    entry->part = part;
}

/* The part is a field or, where it is missing, the whole entry. */
static void set_field(struct file_entry *entry, const char *key)
{
    const struct tree_value *field = tree_first(entry->object);

    while (field && strcmp(field->key, key) != 0)
        field = field->next;
    set_part(entry, "", field ? field : entry->object);
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

static bool read_dim(struct file_entry *entry, const struct tree_value *value,
                     int axis, struct status *st)
{
    int64_t *dim = &entry->model->shape.dims[axis];
    char below[32], type[FIELD_TYPE_SIZE];
    bool is_integer = field_integer(value, dim);

    if (is_integer && *dim >= -1)
        return true;
    snprintf(below, sizeof(below), ".shape[%d]", axis);
    set_part(entry, below, value);
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
    const struct tree_value *shape = tree_get(entry->object, "shape"), *v;
    int axis = 0;

    entry->model->shaped = shape != NULL;
    if (shape && (shape->kind != TREE_ARRAY || shape->count > SHAPE_MAX_RANK))
        return status_fail(st, STATUS_INVALID,
                           "shape must be an array of at most %d dims",
                           SHAPE_MAX_RANK);
    for (v = shape ? shape->first : NULL; v; v = v->next)
        if (!read_dim(entry, v, axis++, st))
            return false;
    entry->model->shape.rank = axis;
    return true;
}

static bool read_attributes(struct file_entry *entry, struct status *st)
{
    const struct tree_value *attributes = tree_get(entry->object, "attributes");
    struct document_parameter p;

    if (!field_object(attributes, "", "attributes", st))
        return false;
    for (const struct tree_value *v = attributes ? attributes->first : NULL; v;
         v = v->next) {
        set_part(entry, ".attributes", v);
        document_parameter_read(v, &p);
        if (!request_parameters_read_attribute(entry->model->op, &p,
                                               entry->model->fixed, st))
            return false;
    }
    return true;
}

/* {"Y": "features"}: the only output there is, under another name. */
static bool read_outputs(struct file_entry *entry, struct status *st)
{
    const struct tree_value *outputs = tree_get(entry->object, "outputs");

    if (!field_object(outputs, "", "outputs", st))
        return false;
    for (const struct tree_value *v = outputs ? outputs->first : NULL; v;
         v = v->next) {
        set_part(entry, ".outputs", v);
        if (strcmp(v->key, entry->model->op->output) != 0)
            return status_fail(
                st, STATUS_INVALID, "'%.40s' is no output of %s: '%s'", v->key,
                entry->model->op->name, entry->model->op->output);
        if (!field_is_string(v) || !is_name(v->text))
            return status_fail(st, STATUS_INVALID,
                               "'%.40s' must have a name of A-Z, a-z, 0-9, "
                               "'_', '.', '-'",
                               v->key);
        entry->model->output = v->text;
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
    for (const struct tree_value *v = entry->object->first; v; v = v->next) {
        int i = 0;

        entry->part = v;
        while (i < FIELDS && strcmp(fields[i].key, v->key) != 0)
            i++;
        if (i == FIELDS)
            return status_fail(st, STATUS_INVALID,
                               "'%.40s' is unknown; known are name, op, "
                               "version, datatype, shape, attributes, outputs",
                               v->key);
    }
    return true;
}

static bool read_field(struct file_entry *entry, const struct field *field,
                       struct status *st)
{
    const struct tree_value *value = tree_get(entry->object, field->key);

    set_field(entry, field->key);
    entry->text = NULL;
    if (field->is_text && value &&
        !field_text(value, "", field->key, &entry->text, st))
        return false;
    return field->read(entry, st);
}

bool file_entry_read(struct file_entry *entry, struct status *st)
{
    const char *key = NULL;

    set_part(entry, "", entry->object);
    if (!entry->model)
        return status_fail(st, STATUS_TOO_LARGE, "more than %d models",
                           API_MODEL_SLOTS);
    if (entry->object->kind != TREE_OBJECT)
        return status_fail(st, STATUS_INVALID, "must be an object");
    if (!check_keys(entry, st))
        return false;
    for (int i = 0; i < FIELDS; i++)
        if (!read_field(entry, &fields[i], st))
            return false;
    if (model_check(entry->model, &key, st))
        return true;
    set_field(entry, key ? key : "");
    return false;
}
