/* The models file: declared in server_state.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/datatype.h"
#include "api/document/field.h"
#include "api/document/json_load.h"
#include "api/models/model.h"
#include "api/prescan/foreign.h"

/* An entry of the list `models`. */
struct file_entry {
    json_t *object;              /* borrowed */
    struct model *model;         /* to be filled in; NULL: the set is full */
    const struct model_set *set; /* with the models before it */
    size_t index;                /* in the list */

    /* The part that is being read: `key` of the object at `path`, which is
     * "models[0]" or "models[0].attributes"; NULL: all of it. */
    char path[64];
    const char *key;
    const char *text; /* of that part; borrowed */
};

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

/* Calls of the operator whose dims are 0, so that values do not matter. */
struct dry_run {
    const struct model *model;
    struct request_parameters settings;
    int rank; /* of the data */
};

static bool describe(const struct dry_run *run, enum dtype control,
                     int64_t entries, struct status *st)
{
    static const unsigned char nothing[SHAPE_MAX_RANK];
    const struct model *model = run->model;
    struct permutation permutation = {0};
    struct op_call call = {
        .data = {.name = model->op->data,
                 .dtype = model->typed ? model->datatype : DTYPE_FP32,
                 .shape = {.rank = run->rank}},
        .control = {.name = model->op->control,
                    .dtype = control,
                    .shape = {.rank = 1, .dims = {entries}},
                    .data = nothing},
        .attributes = run->settings.values,
    };
    bool ok = op_describe(model->op, &call, &permutation, st);

    permutation_free(&permutation);
    return ok;
}

/* Without any lengths or axes, or with a mask. */
static bool try_controls(const struct dry_run *run, struct status *st)
{
    return describe(run, DTYPE_INT64, 0, st) ||
           describe(run, DTYPE_BOOL, run->rank, st);
}

/* Tries every value of each axis that a request may set, from attribute `i` on.
 * Recursion is as deep as the list of attributes. */
static bool try_axes(struct dry_run *run, int i, struct status *st)
{
    const struct attribute *attribute = &run->model->op->attributes[i];

    if (!attribute->name)
        return try_controls(run, st);
    if (attribute->kind != ATTRIBUTE_INT || run->model->fixed[i].given)
        return try_axes(run, i + 1, st);
    for (int value = 0; value < run->rank; value++) {
        run->settings.values[i].integer = value;
        if (try_axes(run, i + 1, st))
            return true;
    }
    return false;
}

/* True if requests must give a text, whose values cannot be tried. */
static bool needs_text(const struct model *model)
{
    const struct attribute *attributes = model->op->attributes;

    for (int i = 0; attributes[i].name; i++)
        if (attributes[i].kind == ATTRIBUTE_TEXT &&
            attributes[i].role == ATTRIBUTE_PLAIN && !model->fixed[i].given)
            return true;
    return false;
}

/* Refuses a model that no request could use: tries calls of the operator that
 * match the model's fixed properties. Fails as the operator does; *key is then
 * the faulty field of a models file, or NULL. */
static bool check_model(const struct model *model, const char **key,
                        struct status *st)
{
    static const struct document no_request;
    struct dry_run first = {.model = model}, run;
    int least = model->shaped ? model->shape.rank : 0;

    *key = NULL;
    first.rank = model->shaped ? least : SHAPE_MAX_RANK;
    if (needs_text(model))
        return true;
    if (!request_parameters_read(model, &no_request, &first.settings, st))
        return false;
    for (run = first; run.rank >= least; run.rank--)
        if (try_axes(&run, 0, st))
            return true;
    /* The first call gives the best reason. */
    *key = "attributes";
    return try_controls(&first, st);
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

/* Reads all fields into the model. INVALID names the fault, TOO_LARGE a full
 * set; `path` and `key` then tell where. */
static bool read_entry(struct file_entry *entry, struct status *st)
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
    return check_model(entry->model, &entry->key, st);
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The text behind the value, or the key, at `at` in a valid document. */
static const char *skip_value(const char *at)
{
    const size_t flags =
        JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL;
    json_error_t end;

    json_decref(json_loads(at, flags, &end));
    return at + end.position;
}

static const char *value_of(const char *key)
{
    return skip_space(skip_space(skip_value(key)) + 1);
}

/* The entry of the object or array at `at` that `step` of `len` bytes names: a
 * key, or "[1]". NULL when there is none. */
static const char *find_entry(const char *at, const char *step, size_t len)
{
    bool object = *at == '{';
    size_t index = object ? 0 : strtoul(step + 1, NULL, 10);

    if (!object && (*at != '[' || *step != '['))
        return NULL;
    do {
        at = skip_space(at + 1);
        if (*at == '}' || *at == ']')
            return NULL;
        if (object ? strncmp(at + 1, step, len) == 0 && at[len + 1] == '"'
                   : index-- == 0)
            return at;
        at = skip_space(skip_value(object ? value_of(at) : at));
    } while (*at == ',');
    return NULL;
}

/* The line of the value at `path`, "models[1].shape[0]" or "" for the whole
 * document, or of its entry `key` when that is not NULL; for a value that is
 * missing, of the object or array that would hold it. */
static size_t line_of(const char *text, const char *path, const char *key)
{
    const char *at = skip_space(text), *found = at;
    size_t line = 1;

    while (found && *path) {
        size_t len = 1 + strcspn(path + 1, ".[");

        found = find_entry(at, path, len);
        if (found)
            at = *at == '{' ? value_of(found) : found;
        path += len;
        path += *path == '.';
    }
    if (found && key)
        found = find_entry(at, key, strlen(key));
    for (found = found ? found : at; text < found; text++)
        line += *text == '\n';
    return line;
}

/* Puts line and path before the status's message; returns false. */
static bool fail_at(const char *text, const char *path, const char *key,
                    struct status *st)
{
    struct status what = *st;

    return status_fail(st, what.code, "line %zu: %s: %s",
                       line_of(text, path, key), path, what.message);
}

static bool read_list(const char *text, const json_t *list,
                      struct model_set *set, struct status *st)
{
    if (!json_is_array(list)) {
        status_fail(st, STATUS_INVALID,
                    "the file must be an object with an array 'models'");
        return fail_at(text, "", "models", st);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct file_entry entry = {.object = json_array_get(list, i),
                                   .model = model_set_add(set),
                                   .set = set,
                                   .index = i};

        if (!read_entry(&entry, st))
            return fail_at(text, entry.path, entry.key, st);
        if (!model_set_assign_slot(set, entry.model, st))
            return false;
    }
    return true;
}

static bool read_file(const char *text, size_t len, struct model_set *set,
                      struct status *st)
{
    json_error_t error;

    if (!foreign_is_object(text, len))
        return foreign_refuse("file", text, len, st) ||
               fail_at(text, "", NULL, st);
    set->tree = json_load_text(text, len, true, &error);
    if (!set->tree && error.line < 0)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    if (!set->tree)
        return status_fail(st, STATUS_INVALID, "line %d: malformed JSON: %s%s",
                           error.line, error.text,
                           json_load_hint(text, len, &error));
    return read_list(text, field_get(set->tree, "models"), set, st);
}

struct model_set *api_models_read(const char *text, size_t len,
                                  const struct model_set *previous,
                                  struct status *st)
{
    struct model_set *set = model_set_new(previous, st);
    size_t mark = foreign_mark(text, len);

    if (set && read_file(text + mark, len - mark, set, st))
        return set;
    api_models_unref(set);
    return NULL;
}
