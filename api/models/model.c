/* Sets of models and the models file: declared in server_state.h too. */
#include "api/models/model.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/field.h"
#include "kernels/core/require.h"

static struct model_set builtin;

const char *api_model_name(const struct model *model)
{
    return model->name;
}

const char *api_model_version(const struct model *model)
{
    return model->version;
}

unsigned api_model_slot(const struct model *model)
{
    return model->slot;
}

/* The operator itself as a model. */
static void init(struct model *model, const struct op *op)
{
    *model = (struct model){
        .name = op->name,
        .version = op->version,
        .op = op,
        .output = op->output,
    };
}

/* The operators are the first models, and have the first slots. */
static void add_operators(struct model_set *set)
{
    for (; op_table[set->count]; set->count++) {
        REQUIRE(set->count < API_MODEL_SLOTS);
        init(&set->models[set->count], op_table[set->count]);
        set->models[set->count].slot = (unsigned)set->count;
    }
}

/* Before main(): there is a set from the start. */
__attribute__((constructor)) static void fill_builtin(void)
{
    add_operators(&builtin);
}

struct model_set *api_models_builtin(void)
{
    return &builtin;
}

/* Gives the model the slot of its name. Fails with NO_MEMORY, or TOO_LARGE. */
static bool assign_slot(struct model_set *set, struct model *model,
                        struct status *st)
{
    unsigned slot = 0;

    while (op_table[slot])
        slot++;
    while (slot < API_MODEL_SLOTS && set->slots[slot] &&
           strcmp(set->slots[slot], model->name) != 0)
        slot++;
    if (slot == API_MODEL_SLOTS)
        return status_fail(st, STATUS_TOO_LARGE,
                           "there have been %d names of models since the "
                           "start, which is the limit: start anew",
                           API_MODEL_SLOTS);
    if (!set->slots[slot])
        set->slots[slot] = strdup(model->name);
    model->slot = slot;
    return set->slots[slot] ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}

struct model_set *api_models_ref(struct model_set *set)
{
    if (set != &builtin)
        atomic_fetch_add_explicit(&set->references, 1, memory_order_relaxed);
    return set;
}

void api_models_unref(struct model_set *set)
{
    size_t references;

    if (!set || set == &builtin)
        return;
    references =
        atomic_fetch_sub_explicit(&set->references, 1, memory_order_acq_rel);
    REQUIRE(references > 0);
    if (references > 1)
        return;
    for (size_t i = 0; i < API_MODEL_SLOTS; i++)
        free(set->slots[i]);
    tree_free(&set->tree);
    free(set);
}

size_t api_models_count(const struct model_set *set)
{
    return set->count;
}

const struct model *api_models_at(const struct model_set *set, size_t index)
{
    return &set->models[index];
}

const struct model *model_set_find(const struct model_set *set,
                                   const char *name, size_t len)
{
    for (size_t i = 0; i < set->count; i++)
        if (strlen(set->models[i].name) == len &&
            memcmp(set->models[i].name, name, len) == 0)
            return &set->models[i];
    return NULL;
}

bool model_accepts(const struct model *model, const struct tensor *data,
                   struct status *st)
{
    const struct shape *want = &model->shape, *is = &data->shape;
    char wanted[128], shape[128];
    bool fits = !model->shaped || want->rank == is->rank;

    if (model->typed && data->dtype != model->datatype)
        return status_fail(st, STATUS_INVALID, "'%s' is %s, but %s takes %s",
                           data->name, dtype_info(data->dtype)->name,
                           model->name, dtype_info(model->datatype)->name);
    for (int i = 0; fits && model->shaped && i < is->rank; i++)
        fits = want->dims[i] < 0 || want->dims[i] == is->dims[i];
    return fits ||
           status_fail(st, STATUS_INVALID,
                       "'%s' has shape %s, but %s takes %s (-1 is any)",
                       data->name, shape_print(is, shape, sizeof(shape)),
                       model->name, shape_print(want, wanted, sizeof(wanted)));
}

/* An entry of the list `models`. */
struct file_entry {
    const struct tree_value *object; /* borrowed */
    struct model *model;         /* to be filled in; NULL: the set is full */
    const struct model_set *set; /* with the models before it */
    size_t index;                /* in the list */

    /* The part that is being read: `path` is "models[0]" or
     * "models[0].attributes", `part` the value there or one of its members. */
    char path[64];
    const struct tree_value *part;
    const char *text; /* of that part; borrowed */
};

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

static bool read_op(struct file_entry *entry, struct status *st)
{
    const char *name = entry->text;
    const struct op *op = name ? op_table_find(name, strlen(name)) : NULL;
    char known[200] = "";
    size_t len = 0;

    if (op) {
        init(entry->model, op);
        return true;
    }
    for (int i = 0; op_table[i] && len < sizeof(known); i++)
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
                                i ? ", " : "", op_table[i]->name);
    return status_fail(st, STATUS_INVALID,
                       "op is %.40s, but it must be one of %s",
                       name ? name : "missing", known);
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

static bool read_shape(struct file_entry *entry, struct status *st)
{
    const struct tree_value *shape = tree_get(entry->object, "shape"), *v;
    struct shape *dims = &entry->model->shape;
    char below[32], type[FIELD_TYPE_SIZE];

    entry->model->shaped = shape != NULL;
    if (shape && (shape->kind != TREE_ARRAY || shape->count > SHAPE_MAX_RANK))
        return status_fail(st, STATUS_INVALID,
                           "shape must be an array of at most %d dims",
                           SHAPE_MAX_RANK);
    for (v = shape ? shape->first : NULL; v; v = v->next, dims->rank++) {
        int64_t *dim = &dims->dims[dims->rank];
        bool is_integer = field_integer(v, dim);

        if (is_integer && *dim >= -1)
            continue;
        snprintf(below, sizeof(below), ".shape[%d]", dims->rank);
        set_part(entry, below, v);
        if (!is_integer)
            return status_fail(st, STATUS_INVALID,
                               "a dim must be an integer below 2^63, not %s",
                               field_type(v, type));
        return status_fail(st, STATUS_INVALID,
                           "a dim must be 0 or more, or -1 for any, not %s",
                           field_number(v, type));
    }
    return true;
}

static bool read_attributes(struct file_entry *entry, struct status *st)
{
    const struct tree_value *attributes = tree_get(entry->object, "attributes");

    if (!field_object(attributes, "", "attributes", st))
        return false;
    for (const struct tree_value *v = attributes ? attributes->first : NULL; v;
         v = v->next) {
        set_part(entry, ".attributes", v);
        if (!request_parameters_read_attribute(entry->model->op, v,
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

/* Tries every value of each axis that a request may set, from attribute `i` on;
 * without any lengths or axes, or with a mask. Recursion is as deep as the list
 * of attributes. */
static bool try_axes(struct dry_run *run, int i, struct status *st)
{
    const struct attribute *attribute = &run->model->op->attributes[i];

    if (!attribute->name)
        return describe(run, DTYPE_INT64, 0, st) ||
               describe(run, DTYPE_BOOL, run->rank, st);
    if (attribute->kind != ATTRIBUTE_INT || run->model->fixed[i].given)
        return try_axes(run, i + 1, st);
    for (int value = 0; value < run->rank; value++) {
        run->settings.values[i].integer = value;
        if (try_axes(run, i + 1, st))
            return true;
    }
    return false;
}

/* Tries calls of the operator that match the model's fixed properties. A text
 * that requests must give has no values to try. */
bool model_check(const struct model *model, struct status *st)
{
    static const struct document no_request;
    const struct attribute *a = model->op->attributes;
    struct dry_run first = {.model = model}, run;
    int least = model->shaped ? model->shape.rank : 0, count = 0;

    for (; a[count].name; count++)
        if (a[count].kind == ATTRIBUTE_TEXT &&
            a[count].role == ATTRIBUTE_PLAIN && !model->fixed[count].given)
            return true;
    first.rank = model->shaped ? least : SHAPE_MAX_RANK;
    if (!request_parameters_read(model, &no_request, &first.settings, st))
        return false;
    for (run = first; run.rank >= least; run.rank--)
        if (try_axes(&run, 0, st))
            return true;
    return try_axes(&first, count, st); /* it gives the best reason */
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

/* Reads all fields into the model. INVALID names the fault, TOO_LARGE a full
 * set; `path` and `part` then tell where. */
static bool read_entry(struct file_entry *entry, struct status *st)
{
    set_part(entry, "", entry->object);
    if (!entry->model)
        return status_fail(st, STATUS_TOO_LARGE, "more than %d models",
                           API_MODEL_SLOTS);
    if (entry->object->kind != TREE_OBJECT)
        return status_fail(st, STATUS_INVALID, "must be an object");
    if (!check_keys(entry, st))
        return false;
    for (int i = 0; i < FIELDS; i++) {
        const struct field *field = &fields[i];
        const struct tree_value *value = tree_get(entry->object, field->key);

        set_field(entry, field->key);
        entry->text = NULL;
        if ((field->is_text && value &&
             !field_text(value, "", field->key, &entry->text, st)) ||
            !field->read(entry, st))
            return false;
    }
    set_field(entry, "attributes");
    return model_check(entry->model, st);
}

/* Puts the line of the byte at `start`, and where it is, before the status's
 * message; returns false. */
static bool fail_at(const char *text, size_t start, const char *where,
                    struct status *st)
{
    const struct status what = *st;
    size_t line = 1;

    for (size_t i = 0; i < start; i++)
        line += text[i] == '\n';
    return status_fail(st, what.code, "line %zu: %s%s%s", line, where,
                       *where ? ": " : "", what.message);
}

static bool read_list(const char *text, const struct tree_value *root,
                      struct model_set *set, struct status *st)
{
    const struct tree_value *list = tree_get(root, "models"), *v;
    size_t index = 0;

    if (!list || list->kind != TREE_ARRAY) {
        status_fail(st, STATUS_INVALID,
                    "the file must be an object with an array 'models'");
        return fail_at(text, list ? list->start : root->start, "", st);
    }
    for (v = list->first; v; v = v->next) {
        struct file_entry entry = {.object = v, .set = set, .index = index++};

        if (set->count < API_MODEL_SLOTS)
            entry.model = &set->models[set->count++];
        if (!read_entry(&entry, st))
            return fail_at(text, entry.part->start, entry.path, st);
        if (!assign_slot(set, entry.model, st))
            return false;
    }
    return true;
}

/* The operators, as a set that models can be added to, with the slots of
 * `previous`. NULL with NO_MEMORY. */
static struct model_set *new_set(const struct model_set *previous,
                                 struct status *st)
{
    struct model_set *set = calloc(1, sizeof(*set));
    bool ok = set != NULL;

    for (size_t i = 0; ok && previous && i < API_MODEL_SLOTS; i++)
        if (previous->slots[i]) {
            set->slots[i] = strdup(previous->slots[i]);
            ok = set->slots[i] != NULL;
        }
    if (!ok)
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    if (!set)
        return NULL;
    atomic_init(&set->references, 1);
    if (ok) {
        add_operators(set);
        return set;
    }
    api_models_unref(set);
    return NULL;
}

struct model_set *api_models_read(const char *text, size_t len,
                                  const struct model_set *previous,
                                  struct status *st)
{
    const struct tree_text file = {
        .text = text, .len = len, .name = "file", .most_values = INT_MAX};
    struct model_set *set = new_set(previous, st);

    if (!set)
        return NULL;
    tree_init(&set->tree, NULL, 0);
    if (tree_read(&set->tree, &file, st)) {
        if (read_list(text, set->tree.root, set, st))
            return set;
    } else if (st->code == STATUS_INVALID) {
        fail_at(text, set->tree.fault, "", st);
    }
    api_models_unref(set);
    return NULL;
}
