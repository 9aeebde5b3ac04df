#include "api/routes/repository.h"

#include <jansson.h>

#include "api/base/json_writer.h"
#include "api/document/field.h"
#include "api/document/json_load.h"
#include "api/routes/reply.h"

/* In a configuration BYTES is called STRING. */
static const char *type_name(enum dtype dtype)
{
    return dtype == DTYPE_BYTES ? "STRING" : dtype_info(dtype)->name;
}

static void write_tensor(struct json_writer *w, const char *name,
                         const char *type, const struct shape *dims)
{
    json_writer_raw(w, "{\"name\":");
    json_writer_string(w, name);
    json_writer_raw(w, ",\"data_type\":\"TYPE_");
    json_writer_raw(w, type);
    json_writer_raw(w, "\",\"dims\":");
    json_writer_shape(w, dims);
    json_writer_raw(w, "}");
}

void repository_config(const struct model *model, struct api_reply *reply)
{
    const struct shape any = {1, {-1}}, matrix = {2, {-1, -1}};
    const struct shape *dims = model->shaped ? &model->shape : &matrix;
    const char *type = type_name(model->typed ? model->datatype : DTYPE_FP32);
    struct json_writer w;

    json_writer_grow(&w);
    json_writer_raw(&w, "{\"name\":");
    json_writer_string(&w, model->name);
    json_writer_raw(&w, ",\"platform\":\"flipd\",\"backend\":\"flipd\","
                        "\"max_batch_size\":0,\"input\":[");
    write_tensor(&w, model->op->data, type, dims);
    json_writer_raw(&w, ",");
    write_tensor(&w, model->op->control, model->op->control_datatype, &any);
    json_writer_raw(&w, "],\"output\":[");
    write_tensor(&w, model->output, type, dims);
    json_writer_raw(&w, "]}");
    reply_text(reply, 200, &w);
}

static bool check_ready(const json_t *root, struct status *st)
{
    const json_t *ready = field_get(root, "ready");

    if (!json_is_object(root))
        return status_fail(st, STATUS_INVALID,
                           "the body is %s, but it must be an object",
                           field_type(root));
    return !ready || json_is_boolean(ready) ||
           status_fail(st, STATUS_INVALID,
                       "ready is %s, but it must be a boolean",
                       field_type(ready));
}

/* The optional body {"ready": true} asks for ready models only; all are ready.
 */
static bool check_filter(const struct api_request *request, struct status *st)
{
    json_t *root;
    bool ok;

    if (request->body_len == 0)
        return true;
    root = json_load_body(request->body, request->body_len, st);
    if (!root)
        return false;
    ok = check_ready(root, st);
    json_decref(root);
    return ok;
}

void repository_index(const struct model_set *set,
                      const struct api_request *request,
                      struct api_reply *reply)
{
    struct json_writer w;
    struct status st;

    if (!check_filter(request, &st)) {
        api_reply_status(reply, &st);
        return;
    }
    json_writer_grow(&w);
    json_writer_raw(&w, "[");
    for (size_t i = 0; i < model_set_count(set); i++) {
        json_writer_raw(&w, i > 0 ? ",{\"name\":" : "{\"name\":");
        json_writer_string(&w, model_set_at(set, i)->name);
        json_writer_raw(&w, ",\"version\":\"");
        json_writer_raw(&w, model_set_at(set, i)->version);
        json_writer_raw(&w, "\",\"state\":\"READY\",\"reason\":\"\"}");
    }
    json_writer_raw(&w, "]");
    reply_text(reply, 200, &w);
}

void repository_load(struct api_reply *reply)
{
    api_reply_error(reply, 501,
                    "models are loaded and unloaded by editing the models file "
                    "(--models FILE) and sending SIGHUP, not over the wire");
}
