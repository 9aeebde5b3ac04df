#include "api/routes/models.h"

#include <string.h>

#include "api/base/json_writer.h"
#include "api/base/percent.h"
#include "api/routes/reply.h"
#include "kernels/core/isa.h"

const struct model_set *models_of(const struct api_request *request)
{
    return request->models ? request->models : model_set_builtin();
}

static bool check_version(const struct model *model, const char *text,
                          size_t len, struct status *st)
{
    char version[MODEL_NAME_MAX];
    size_t version_len;

    if (len == 0)
        return true;
    if (percent_decode(text, len, version, sizeof(version), &version_len) &&
        version_len == strlen(model->version) &&
        memcmp(version, model->version, version_len) == 0)
        return true;
    return status_fail(st, STATUS_NOT_FOUND,
                       "model %s has no version '%.*s', only %s", model->name,
                       len < 64 ? (int)len : 64, text, model->version);
}

const struct model *models_find(const struct model_set *set, const char *path,
                                const struct api_route *route,
                                struct status *st)
{
    const char *text = path + route->model;
    const struct model *model = NULL;
    char name[MODEL_NAME_MAX];
    size_t len;

    if (percent_decode(text, route->model_len, name, sizeof(name), &len))
        model = model_set_find(set, name, len);
    if (!model) {
        status_fail(st, STATUS_NOT_FOUND,
                    "no model '%.*s': GET /v2/models lists them",
                    route->model_len < 128 ? (int)route->model_len : 128, text);
        return NULL;
    }
    if (!check_version(model, path + route->version, route->version_len, st))
        return NULL;
    return model;
}

#define SERVER                                                                 \
    "{\"name\":\"flipd\",\"version\":\"" FLIPD_VERSION                         \
    "\",\"extensions\":[\"binary_tensor_data\",\"logging\","                   \
    "\"model_configuration\",\"parameters\",\"statistics\""

void models_server(bool shared_memory, struct api_reply *reply)
{
    struct json_writer w;

    json_writer_grow(&w);
    json_writer_raw(&w, SERVER);
    json_writer_raw(&w, shared_memory ? ",\"system_shared_memory\"" : "");
    json_writer_raw(&w, "],\"simd\":");
    json_writer_string(&w, isa_name(isa_active()));
    json_writer_raw(&w, "}");
    reply_text(reply, 200, &w);
}

void models_list(const struct model_set *set, struct api_reply *reply)
{
    struct json_writer w;

    json_writer_grow(&w);
    json_writer_raw(&w, "{\"models\":[");
    for (size_t i = 0; i < model_set_count(set); i++) {
        json_writer_raw(&w, i > 0 ? "," : "");
        json_writer_string(&w, model_set_at(set, i)->name);
    }
    json_writer_raw(&w, "]}");
    reply_text(reply, 200, &w);
}

void models_ready(const struct model *model, struct api_reply *reply)
{
    struct json_writer w;

    json_writer_grow(&w);
    json_writer_raw(&w, "{\"name\":");
    json_writer_string(&w, model->name);
    json_writer_raw(&w, ",\"ready\":true}");
    reply_text(reply, 200, &w);
}
