#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/document/cache.h"
#include "api/document/tree.h"
#include "api/infer/infer.h"
#include "api/routes/models.h"
#include "api/routes/page.h"
#include "api/routes/reply.h"

void api_init(void)
{
    tree_install_allocator();
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

/* What the plan holds by itself. */
static size_t held(const struct infer *infer)
{
    size_t lens = 0;

    if (infer->permutation.lens)
        lens = (size_t)infer->permutation.axes[infer->permutation.batch_axis]
                   .extent *
               sizeof(*infer->permutation.lens);
    return (infer->copy ? infer->call.data.bytes : 0) + sizeof(*infer) +
           sizeof(*infer->doc) + infer->doc->tree_bytes + lens +
           (infer->context ? strlen(infer->context) : 0);
}

static size_t memory(const struct infer *infer)
{
    const size_t parts[] = {infer->index_size, infer->head_size,
                            infer->data_size, infer->scratch_size};
    size_t sum = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        sum = parts[i] > SIZE_MAX - sum ? SIZE_MAX : sum + parts[i];
    return sum;
}

static bool prepare_infer(const struct model *model,
                          const struct api_request *request,
                          struct api_plan *plan, struct api_reply *reply)
{
    struct infer *infer = calloc(1, sizeof(*infer));
    struct status st = {STATUS_NO_MEMORY, "out of memory"};

    plan->model = model;
    plan->infer = infer;
    if (infer && infer_prepare(model, request, infer, &st)) {
        plan->memory = memory(infer);
        plan->held = held(infer);
        plan->timeout_us = infer->settings.timeout_us;
        return true;
    }
    api_plan_free(plan);
    plan->model = model;
    api_reply_status(reply, &st);
    return false;
}

static const struct model_set *models_of(const struct api_request *request)
{
    return request->models ? request->models : model_set_builtin();
}

const struct model *api_model(const struct api_request *request,
                              const struct api_route *route, struct status *st)
{
    return models_find(models_of(request), request->path, route, st);
}

static bool prepare_model(const struct api_request *request,
                          const struct api_route *route, struct api_plan *plan,
                          struct api_reply *reply)
{
    struct status st;
    const struct model *model = api_model(request, route, &st);

    if (!model)
        api_reply_status(reply, &st);
    else if (route->id == API_ROUTE_INFER)
        return prepare_infer(model, request, plan, reply);
    else if (route->id == API_ROUTE_MODEL)
        models_metadata(model, reply);
    else if (route->id == API_ROUTE_CONFIG)
        models_config(model, reply);
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
        models_index(models_of(request), request, reply);
        return false;
    case API_ROUTE_LOAD:
        models_load(reply);
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
    struct status st;

    if (!infer_execute(plan->infer, buffer, cancel, reply, &st))
        api_reply_status(reply, &st);
}

void api_plan_free(struct api_plan *plan)
{
    if (plan->infer)
        infer_free(plan->infer);
    free(plan->infer);
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
