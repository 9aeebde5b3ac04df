/* The models of a request, and the replies about them. */
#include <stdio.h>
#include <string.h>

#include "api/base/text.h"
#include "api/document/field.h"
#include "api/document/misplaced.h"
#include "api/routes/routes.h"
#include "api/wire/wire.h"
#include "kernels/core/size.h"

/* The request's own set, or the built-in one. */
static const struct model_set *models_of(const struct api_request *request)
{
    return request->models ? request->models : api_models_builtin();
}

/* "reverse_sequence" is meant for onnx.ReverseSequence. */
static bool is_last_part(const char *name, const char *known)
{
    const char *dot = strrchr(known, '.');

    return dot && alike_name(name, dot + 1);
}

/* The model that was most likely meant, or NULL. */
static const char *meant(const struct model_set *set, const char *name,
                         size_t len)
{
    static bool (*const rules[])(const char *name, const char *known) = {
        alike_name, near_name, is_last_part};
    char text[API_MODEL_NAME_MAX];

    if (len >= sizeof(text))
        return NULL;
    memcpy(text, name, len);
    text[len] = '\0';
    for (size_t rule = 0; rule < sizeof(rules) / sizeof(rules[0]); rule++)
        for (size_t i = 0; i < set->count; i++)
            if (rules[rule](text, set->models[i].name))
                return set->models[i].name;
    return NULL;
}

static bool refuse_name(const struct model_set *set,
                        const struct api_piece *name, struct status *st)
{
    const char *text = name->data, *near = meant(set, text, name->len);
    int len = (int)size_min(name->len, API_MODEL_NAME_MAX);

    if (!near)
        return status_fail(st, STATUS_NOT_FOUND,
                           "Request for unknown model: '%.*s' is not found; "
                           "GET /v2/models lists them",
                           len, text);
    return status_fail(st, STATUS_NOT_FOUND,
                       "Request for unknown model: '%.*s' is not found; did "
                       "you mean %s? GET /v2/models lists them",
                       len, text, near);
}

/* A segment of a path without its escapes, in `text`; as it is, where it has
 * none or that fails, for then it names nothing. */
static struct api_piece decode(const char *segment, size_t len,
                               char text[API_MODEL_NAME_MAX])
{
    size_t decoded;

    if (memchr(segment, '%', len) &&
        percent_decode(segment, len, text, API_MODEL_NAME_MAX, &decoded))
        return (struct api_piece){text, decoded};
    return (struct api_piece){segment, len};
}

const struct model *api_model_find(const struct api_request *request,
                                   const struct api_route *route,
                                   struct status *st)
{
    const struct model_set *set = models_of(request);
    char name_text[API_MODEL_NAME_MAX], version_text[API_MODEL_NAME_MAX];
    struct api_piece name, version, shown; /* the version as it was sent */
    const struct model *model;
    const struct api_head *head;

    if (request->is_protobuf) {
        head = infer_head_read(request, st);
        if (!head)
            return NULL;
        name = head->model;
        version = shown = head->version;
    } else {
        name = decode(request->path + route->model.at, route->model.len,
                      name_text);
        shown = (struct api_piece){request->path + route->version.at,
                                   route->version.len};
        version = shown;
        if (shown.len > 0)
            version = decode(shown.data, shown.len, version_text);
    }
    model = model_set_find(set, name.data, name.len);
    if (!model)
        refuse_name(set, &name, st);
    else if (version.len == 0 ||
             (version.len == strlen(model->version) &&
              memcmp(version.data, model->version, version.len) == 0))
        return model;
    else
        status_fail(st, STATUS_NOT_FOUND,
                    "Request for unknown model: '%s' version '%.*s' is not "
                    "found; it has only %s",
                    model->name, (int)size_min(shown.len, 64),
                    (const char *)shown.data, model->version);
    return NULL;
}

void models_list(const struct api_request *request, struct writer *w)
{
    const struct model_set *set = models_of(request);

    writer_text(w, "{\"models\":[");
    for (size_t i = 0; i < set->count; i++)
        json_write_print(w, i > 0 ? ",%s" : "%s", set->models[i].name);
    writer_text(w, "]}");
}

static const char *datatype_of(const struct model *model)
{
    return model->typed ? dtype_info(model->datatype)->name : "FP32";
}

/* A tensor of a model's metadata or, with other keys, of its configuration. */
static void write_tensor(struct writer *w, bool config, const char *name,
                         const char *type, const struct shape *shape)
{
    json_write_print(w, "{\"name\":%s,", name);
    writer_text(w, config ? "\"data_type\":\"TYPE_" : "\"datatype\":\"");
    writer_text(w, type);
    writer_text(w, config ? "\",\"dims\":" : "\",\"shape\":");
    json_write_shape(w, shape);
    writer_text(w, "}");
}

/* Inputs and output. The shape of the data is the one that the model fixes, or
 * one that most clients can build. A configuration calls BYTES STRING. */
static void write_tensors(struct writer *w, bool config,
                          const struct model *model)
{
    static const struct shape any = {1, {-1}}, matrix = {2, {-1, -1}};
    const struct shape *shape = model->shaped ? &model->shape : &matrix;
    const char *type = datatype_of(model);
    const struct op *op = model->op;

    if (config && model->typed && model->datatype == DTYPE_BYTES)
        type = "STRING";
    writer_text(w, config ? ",\"input\":[" : ",\"inputs\":[");
    write_tensor(w, config, op->data, type, shape);
    writer_text(w, ",");
    write_tensor(w, config, op->control, "INT64", &any);
    writer_text(w, config ? "],\"output\":[" : "],\"outputs\":[");
    write_tensor(w, config, model->output, type, shape);
    writer_text(w, "]");
}

/* "integer, default 1", or "integer, fixed to 1". */
static void describe(const struct attribute *a,
                     const struct attribute_value *fixed, char *text,
                     size_t size)
{
    const char *how = fixed->given ? "fixed to" : "default";
    bool flag = fixed->given ? fixed->flag : a->fallback > 0;
    double number = fixed->given ? fixed->number : a->fallback;

    if (a->kind == ATTRIBUTE_INT && fixed->given)
        number = (double)fixed->integer;
    if (a->kind == ATTRIBUTE_TEXT && fixed->given)
        snprintf(text, size, "string, fixed to %s", fixed->text);
    else if (a->kind == ATTRIBUTE_TEXT)
        snprintf(text, size, "string");
    else if (a->kind == ATTRIBUTE_BOOL)
        snprintf(text, size, "boolean, %s %s", how, flag ? "true" : "false");
    else
        snprintf(text, size, "%s, %s %g",
                 a->kind == ATTRIBUTE_INT ? "integer" : "number", how, number);
}

static void write_properties(struct writer *w, const struct model *model)
{
    const struct op *op = model->op;
    char name[80], value[80];

    json_write_print(w, "{\"summary\":%s", op->summary);
    if (strcmp(op->name, model->name) != 0)
        json_write_print(w, ",\"op\":%s", op->name);
    json_write_print(w, ",\"datatypes\":%s",
                     model->typed ? datatype_of(model)
                     : op->scales ? DTYPE_SCALABLE_NAMES
                                  : DTYPE_ALL_NAMES);
    for (int i = 0; op->attributes[i].name; i++) {
        snprintf(name, sizeof(name), "attribute %s", op->attributes[i].name);
        describe(&op->attributes[i], &model->fixed[i], value, sizeof(value));
        json_write_print(w, ",%s:%s", name, value);
    }
    writer_text(w, "}");
}

void models_metadata(const struct model *model, struct writer *w)
{
    json_write_print(w, "{\"name\":%s,\"versions\":[%s],\"platform\":\"flipd\"",
                     model->name, model->version);
    write_tensors(w, false, model);
    writer_text(w, ",\"properties\":");
    write_properties(w, model);
    writer_text(w, "}");
}

void models_config(const struct model *model, struct writer *w)
{
    json_write_print(w,
                     "{\"name\":%s,\"platform\":\"flipd\","
                     "\"backend\":\"flipd\",\"max_batch_size\":0",
                     model->name);
    write_tensors(w, true, model);
    writer_text(w, "}");
}

/* The optional body {"ready": true} asks for ready models only: all are. */
static bool check_filter(const struct api_request *request, struct status *st)
{
    const struct tree_value *ready;
    struct tree tree;
    bool ok, flag;

    if (request->body_len == 0)
        return true;
    ok = tree_read_body(&tree, request, st);
    ready = ok ? tree_get(tree.root, "ready") : NULL;
    ok = ok && (!ready || field_bool(ready, "", "ready", &flag, st));
    tree_free(&tree);
    return ok;
}

bool models_index(const struct api_request *request, struct writer *w,
                  struct status *st)
{
    const struct model_set *set = models_of(request);

    if (!check_filter(request, st))
        return false;
    writer_text(w, "[");
    for (size_t i = 0; i < set->count; i++) {
        writer_text(w, i > 0 ? "," : "");
        json_write_print(w,
                         "{\"name\":%s,\"version\":%s,"
                         "\"state\":\"READY\",\"reason\":\"\"}",
                         set->models[i].name, set->models[i].version);
    }
    writer_text(w, "]");
    return true;
}
