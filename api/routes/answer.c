/* Prepares and executes any request: declared in api.h. */
#include <stdlib.h>

#include "api/api.h"
#include "api/base/json_writer.h"
#include "api/document/cache.h"
#include "api/document/json_load.h"
#include "api/infer/infer.h"
#include "api/registry.h"
#include "api/routes/infer_route.h"
#include "api/routes/metadata.h"
#include "api/routes/models.h"
#include "api/routes/page.h"
#include "api/routes/reply.h"
#include "api/routes/repository.h"

void api_init(void)
{
    json_load_install_allocator();
}

struct document_cache *api_cache_new(void)
{
    return document_cache_new();
}

void api_cache_free(struct document_cache *cache)
{
    document_cache_free(cache);
}

static void reply_health(struct api_reply *reply, const char *name, bool yes)
{
    struct json_writer w;

    json_writer_grow(&w);
    json_writer_raw(&w, "{");
    json_writer_string(&w, name);
    json_writer_raw(&w, yes ? ":true}" : ":false}");
    reply_text(reply, yes ? 200 : 503, &w);
}

static bool prepare_model(const struct api_request *request,
                          const struct api_route *route, struct api_plan *plan,
                          struct api_reply *reply)
{
    struct status st;
    const struct model *model = request->model;

    if (!model)
        model = api_model_find(request, route, &st);
    if (!model)
        api_reply_status(reply, &st);
    else if (route->id == API_ROUTE_INFER)
        return infer_route_prepare(model, request, plan, reply);
    else if (route->id == API_ROUTE_MODEL)
        metadata_answer(model, reply);
    else if (route->id == API_ROUTE_CONFIG)
        repository_config(model, reply);
    else
        models_ready(model, reply);
    return false;
}

static bool answer_route(const struct api_request *request,
                         const struct api_route *route, struct api_plan *plan,
                         struct api_reply *reply)
{
    switch (route->id) {
    case API_ROUTE_SERVER:
        models_server(request->regions != NULL, reply);
        return false;
    case API_ROUTE_LIVE:
        reply_health(reply, "live", true);
        return false;
    case API_ROUTE_READY:
        reply_health(reply, "ready", request->ready);
        return false;
    case API_ROUTE_MODELS:
        models_list(models_of(request), reply);
        return false;
    case API_ROUTE_INDEX:
        repository_index(models_of(request), request, reply);
        return false;
    case API_ROUTE_LOAD:
        repository_load(reply);
        return false;
    case API_ROUTE_CONTRACT:
        page_contract(reply);
        return false;
    case API_ROUTE_PAGE:
        page_answer(reply);
        return false;
    case API_ROUTE_MODEL:
    case API_ROUTE_CONFIG:
    case API_ROUTE_MODEL_READY:
    case API_ROUTE_INFER:
        return prepare_model(request, route, plan, reply);
    case API_ROUTE_LOGGING:
    case API_ROUTE_STATISTICS:
    case API_ROUTE_METRICS:
    case API_ROUTE_SHM_STATUS:
    case API_ROUTE_SHM_REGISTER:
    case API_ROUTE_SHM_UNREGISTER:
    case API_ROUTE_CUDA_STATUS:
    case API_ROUTE_CUDA_REGISTER:
    case API_ROUTE_CUDA_UNREGISTER:
    case API_ROUTE_NONE:
        break;
    }
    api_reply_error(reply, 404, "this route is answered by the server only");
    return false;
}

bool api_prepare(const struct api_request *request, struct api_plan *plan,
                 struct api_reply *reply)
{
    struct api_route found;
    const struct api_route *route = request->route ? request->route : &found;

    *plan = (struct api_plan){0};
    *reply = (struct api_reply){0};
    return (request->route ||
            api_route(request->method, request->path, &found, reply)) &&
           answer_route(request, route, plan, reply);
}

void api_execute(struct api_plan *plan, void *buffer, const atomic_bool *cancel,
                 struct api_reply *reply)
{
    infer_route_execute(plan, buffer, cancel, reply);
}

void api_plan_free(struct api_plan *plan)
{
    infer_free(plan->infer);
    *plan = (struct api_plan){0};
}

void api_answer(const struct api_request *request, struct api_reply *reply)
{
    struct api_plan plan;
    void *buffer;

    if (!api_prepare(request, &plan, reply))
        return;
    buffer = malloc(plan.memory);
    if (buffer) {
        api_execute(&plan, buffer, NULL, reply);
    } else {
        api_reply_error(reply, 503, "out of memory");
    }
    api_plan_free(&plan);
    if (reply->owned)
        free(buffer);
    else
        reply->owned = buffer;
}
