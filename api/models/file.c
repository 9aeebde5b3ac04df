/* The models file: {"models": [{"name", "op", "version", "datatype", "shape",
 * "attributes", "outputs"}, ...]}. Whoever edits it is told the line. */
#include <stdio.h>
#include <string.h>

#include "api/document/field.h"
#include "api/document/tree.h"
#include "api/models/file.h"
#include "api/models/settings.h"
#include "kernels/ops/op_table.h"

static const char *const keys[] = {"name",  "op",         "version", "datatype",
                                   "shape", "attributes", "outputs", NULL};

static bool check_keys(const struct models_file *file, struct status *st)
{
    const char *key;
    json_t *value;

    json_object_foreach(file->entry, key, value)
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
        return models_file_fail(file, key, st);
    }
    return true;
}

/* A string, or NULL when the entry lacks the key. */
static bool read_text(const struct models_file *file, const char *key,
                      const char **text, struct status *st)
{
    *text = NULL;
    return !field_get(file->entry, key) ||
           field_text(file->entry, "", key, text, st) ||
           models_file_fail(file, key, st);
}

bool models_file_is_name(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    return len > 0 && len <= MODEL_NAME_MAX && text[len] == '\0';
}

static bool read_name(const struct models_file *file, struct status *st)
{
    const char *name;

    if (!read_text(file, "name", &name, st))
        return false;
    if (!name || !models_file_is_name(name) || strcmp(name, "stats") == 0) {
        status_fail(st, STATUS_INVALID,
                    "name is %s%.40s%s, but it must be 1 to %d of A-Z, a-z, "
                    "0-9, '_', '.', '-', and not 'stats'",
                    name ? "'" : "", name ? name : "missing", name ? "'" : "",
                    MODEL_NAME_MAX);
        return models_file_fail(file, "name", st);
    }
    for (const struct model *m = file->set->models; m < file->model; m++) {
        if (strcmp(m->name, name) != 0)
            continue;
        status_fail(st, STATUS_INVALID, "there is a model '%s' already", name);
        return models_file_fail(file, "name", st);
    }
    file->model->name = name;
    return true;
}

static bool read_op(const struct models_file *file, struct status *st)
{
    const char *name;
    const struct op *op;

    if (!read_text(file, "op", &name, st))
        return false;
    op = name ? op_table_find(name, strlen(name)) : NULL;
    if (op) {
        model_init(file->model, op);
        return true;
    }
    status_fail(st, STATUS_INVALID,
                "op is %s, but it must be an operator: GET /v2/models lists "
                "them",
                name ? name : "missing");
    return models_file_fail(file, "op", st);
}

static bool read_version(const struct models_file *file, struct status *st)
{
    const char *version;

    if (!read_text(file, "version", &version, st))
        return false;
    file->model->version = version ? version : "1";
    if (!version)
        return true;
    if (*version && strlen(version) <= 9 &&
        strspn(version, "0123456789") == strlen(version))
        return true;
    status_fail(st, STATUS_INVALID,
                "version is '%.40s', but it must be 1 to 9 digits", version);
    return models_file_fail(file, "version", st);
}

static bool read_datatype(const struct models_file *file, struct status *st)
{
    const char *name;

    if (!read_text(file, "datatype", &name, st))
        return false;
    file->model->typed = name != NULL;
    if (!name || dtype_parse(name, strlen(name), &file->model->datatype))
        return true;
    status_fail(st, STATUS_INVALID,
                "datatype is '%.40s', but it must be one of " DTYPE_ALL_NAMES,
                name);
    return models_file_fail(file, "datatype", st);
}

static bool read_model(struct models_file *file, struct status *st)
{
    file->model = model_set_add(file->set);
    if (!file->model) {
        status_fail(st, STATUS_TOO_LARGE, "more than %d models", MODEL_SLOTS);
        return models_file_fail(file, NULL, st);
    }
    if (!json_is_object(file->entry)) {
        status_fail(st, STATUS_INVALID, "must be an object");
        return models_file_fail(file, NULL, st);
    }
    return check_keys(file, st) && read_op(file, st) && read_name(file, st) &&
           read_version(file, st) && read_datatype(file, st) &&
           models_file_shape(file, st) && models_file_attributes(file, st) &&
           models_file_outputs(file, st) && models_file_trial(file, st) &&
           model_set_number(file->set, file->model, st);
}

static bool read_list(struct models_file *file, const json_t *list,
                      struct status *st)
{
    if (!json_is_array(list)) {
        status_fail(st, STATUS_INVALID,
                    "the file must be an object with an array 'models'");
        return models_file_fail_at(file, "", "models", st);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        file->entry = json_array_get(list, i);
        snprintf(file->path, sizeof(file->path), "models[%zu]", i);
        if (!read_model(file, st))
            return false;
    }
    return true;
}

bool models_file_read(const char *text, size_t len, struct model_set *set,
                      struct status *st)
{
    struct models_file file = {.text = text, .set = set};
    json_error_t error;

    set->tree = tree_load(text, len, &error);
    if (!set->tree && error.line < 0)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    if (!set->tree)
        return status_fail(st, STATUS_INVALID, "line %d: malformed JSON: %s",
                           error.line, error.text);
    return read_list(&file, field_get(set->tree, "models"), st);
}
