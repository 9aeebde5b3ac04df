#include "api/models/models_file.h"

#include <stdio.h>
#include <string.h>

#include "api/document/field.h"
#include "api/document/json_load.h"
#include "api/models/dry_run.h"
#include "api/models/file_entry.h"
#include "api/models/file_fields.h"
#include "kernels/ops/op_table.h"

/* The keys of an entry. */
static const char *const keys[] = {"name",  "op",         "version", "datatype",
                                   "shape", "attributes", "outputs", NULL};

static bool check_keys(const struct file_entry *entry, struct status *st)
{
    const char *key;
    json_t *value;

    json_object_foreach(entry->object, key, value)
    {
        int i = 0;

        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i])
            continue;
        status_fail(st, STATUS_INVALID,
                    "'%.40s' is unknown; known are name, op, version, "
                    "datatype, shape, attributes, outputs",
                    key);
        return file_entry_fail(entry, key, st);
    }
    return true;
}

/* A string, or NULL when the entry lacks the key. */
static bool read_text(const struct file_entry *entry, const char *key,
                      const char **text, struct status *st)
{
    *text = NULL;
    return !field_get(entry->object, key) ||
           field_text(entry->object, "", key, text, st) ||
           file_entry_fail(entry, key, st);
}

static bool read_name(const struct file_entry *entry,
                      const struct model_set *set, struct status *st)
{
    const char *name;

    if (!read_text(entry, "name", &name, st))
        return false;
    if (!name || !file_entry_is_name(name) || strcmp(name, "stats") == 0) {
        status_fail(st, STATUS_INVALID,
                    "name is %s%.40s%s, but it must be 1 to %d of A-Z, a-z, "
                    "0-9, '_', '.', '-', and not 'stats'",
                    name ? "'" : "", name ? name : "missing", name ? "'" : "",
                    MODEL_NAME_MAX);
        return file_entry_fail(entry, "name", st);
    }
    for (const struct model *m = set->models; m < entry->model; m++) {
        if (strcmp(m->name, name) != 0)
            continue;
        status_fail(st, STATUS_INVALID, "there is a model '%s' already", name);
        return file_entry_fail(entry, "name", st);
    }
    entry->model->name = name;
    return true;
}

static bool read_op(const struct file_entry *entry, struct status *st)
{
    const char *name;
    const struct op *op;

    if (!read_text(entry, "op", &name, st))
        return false;
    op = name ? op_table_find(name, strlen(name)) : NULL;
    if (op) {
        model_init(entry->model, op);
        return true;
    }
    status_fail(st, STATUS_INVALID,
                "op is %s, but it must be an operator: GET /v2/models lists "
                "them",
                name ? name : "missing");
    return file_entry_fail(entry, "op", st);
}

static bool read_version(const struct file_entry *entry, struct status *st)
{
    const char *version;

    if (!read_text(entry, "version", &version, st))
        return false;
    entry->model->version = version ? version : "1";
    if (!version)
        return true;
    if (*version && strlen(version) <= 9 &&
        strspn(version, "0123456789") == strlen(version))
        return true;
    status_fail(st, STATUS_INVALID,
                "version is '%.40s', but it must be 1 to 9 digits", version);
    return file_entry_fail(entry, "version", st);
}

static bool read_datatype(const struct file_entry *entry, struct status *st)
{
    const char *name;

    if (!read_text(entry, "datatype", &name, st))
        return false;
    entry->model->typed = name != NULL;
    if (!name || dtype_parse(name, strlen(name), &entry->model->datatype))
        return true;
    status_fail(st, STATUS_INVALID,
                "datatype is '%.40s', but it must be one of " DTYPE_ALL_NAMES,
                name);
    return file_entry_fail(entry, "datatype", st);
}

/* The entry's model, in the order in which faults are reported. */
static bool read_fields(const struct file_entry *entry,
                        const struct model_set *set, struct status *st)
{
    return check_keys(entry, st) && read_op(entry, st) &&
           read_name(entry, set, st) && read_version(entry, st) &&
           read_datatype(entry, st) && file_fields_read_shape(entry, st) &&
           file_fields_read_attributes(entry, st) &&
           file_fields_read_outputs(entry, st);
}

static bool check_model(const struct file_entry *entry, struct status *st)
{
    const char *key;

    return dry_run_model(entry->model, &key, st) ||
           file_entry_fail(entry, key, st);
}

static bool read_entry(struct file_entry *entry, struct model_set *set,
                       struct status *st)
{
    entry->model = model_set_add(set);
    if (!entry->model) {
        status_fail(st, STATUS_TOO_LARGE, "more than %d models", MODEL_SLOTS);
        return file_entry_fail(entry, NULL, st);
    }
    if (!json_is_object(entry->object)) {
        status_fail(st, STATUS_INVALID, "must be an object");
        return file_entry_fail(entry, NULL, st);
    }
    return read_fields(entry, set, st) && check_model(entry, st) &&
           model_set_assign_slot(set, entry->model, st);
}

static bool read_list(const char *text, const json_t *list,
                      struct model_set *set, struct status *st)
{
    struct file_entry entry = {.text = text};

    if (!json_is_array(list)) {
        status_fail(st, STATUS_INVALID,
                    "the file must be an object with an array 'models'");
        return file_entry_fail_at(&entry, "", "models", st);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        entry.object = json_array_get(list, i);
        snprintf(entry.path, sizeof(entry.path), "models[%zu]", i);
        if (!read_entry(&entry, set, st))
            return false;
    }
    return true;
}

static bool read_file(const char *text, size_t len, struct model_set *set,
                      struct status *st)
{
    json_error_t error;

    set->tree = json_load_text(text, len, &error);
    if (!set->tree && error.line < 0)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    if (!set->tree)
        return status_fail(st, STATUS_INVALID, "line %d: malformed JSON: %s",
                           error.line, error.text);
    return read_list(text, field_get(set->tree, "models"), set, st);
}

struct model_set *models_file_read(const char *text, size_t len,
                                   const struct model_set *previous,
                                   struct status *st)
{
    struct model_set *set = model_set_new(previous, st);

    if (set && read_file(text, len, set, st))
        return set;
    model_set_unref(set);
    return NULL;
}
