/* Prepares and executes any request, and makes replies: declared in api.h.
 * Inferences have wire formats, chosen by Content-Type and Accept. */
#include <stdlib.h>
#include <string.h>

#include "api/base/accept.h"
#include "api/infer/infer.h"
#include "api/routes/routes.h"
#include "api/wire/wire.h"
#include "kernels/core/isa.h"
#include "kernels/core/require.h"

#define NO_MEMORY_JSON "{\"error\":\"out of memory\"}"

static const struct api_reply reply_without_memory = {
    .status = 503,
    .content_type = "application/json",
    .piece_count = 1,
    .pieces = {{NO_MEMORY_JSON, sizeof(NO_MEMORY_JSON) - 1}},
    .error = "out of memory"};

/* HTTP's status of each code. */
static const int statuses[] = {
    [STATUS_OK] = 200,
    [STATUS_INVALID] = 400,
    [STATUS_MALFORMED] = 400,
    [STATUS_NOT_FOUND] = 404,
    [STATUS_NOT_SUPPORTED] = 501,
    [STATUS_TOO_LARGE] = 413,
    [STATUS_BUSY] = 503,
    [STATUS_CANCELLED] = 503,
    [STATUS_NO_MEMORY] = 503,
    [STATUS_INTERNAL] = 500,
};

void reply_text(struct api_reply *reply, int status, struct writer *text)
{
    *reply = (struct api_reply){.status = status,
                                .content_type = "application/json",
                                .piece_count = 1,
                                .pieces = {{text->data, text->len}},
                                .owned = text->data};
    if (text->failed) {
        api_reply_free(reply);
        *reply = reply_without_memory;
    }
}

void api_reply_error(struct api_reply *reply, int status, const char *text)
{
    struct writer w = {.grows = true};
    size_t len;

    writer_text(&w, "{\"error\":");
    json_write_string(&w, text);
    writer_text(&w, "}");
    len = w.len;
    /* Where the JSON has no U+FFFD, the text is UTF-8. */
    if (!w.failed && memchr(w.data, 0xEF, w.len))
        writer_utf8(&w, text, strlen(text) + 1);
    else
        writer_bytes(&w, text, strlen(text) + 1);
    reply_text(reply, status, &w);
    if (w.failed)
        return;
    reply->pieces[0].len = len;
    reply->error = w.data + len;
}

void api_reply_status(struct api_reply *reply, const struct status *st)
{
    REQUIRE((size_t)st->code < sizeof(statuses) / sizeof(statuses[0]));
    api_reply_error(reply, statuses[st->code], st->message);
    reply->malformed = st->code == STATUS_MALFORMED;
}

size_t api_reply_bytes(const struct api_reply *reply)
{
    size_t bytes = 0;

    for (int i = 0; i < reply->piece_count; i++)
        bytes += reply->pieces[i].len;
    return bytes;
}

void api_reply_free(struct api_reply *reply)
{
    free(reply->owned);
    *reply = (struct api_reply){0};
}

/* Bytes of a document whose timeout is read while the request waits for a
 * worker: the thread that receives takes 5 to 10 us for so many. */
enum { TIMEOUT_MAX_LEN = 256 << 10 };

struct wire_format {
    bool (*decode)(struct infer *infer, struct status *st);
    enum document_form form; /* of the result's data */
    void (*encode)(const struct infer_result *result, struct api_reply *reply);
};

static const struct wire_format json_to_json = {
    decode_json, DOCUMENT_FORM_ASKED, encode_json};
static const struct wire_format protobuf_to_protobuf = {
    decode_protobuf, DOCUMENT_FORM_BINARY, encode_protobuf};
static const struct wire_format npy_to_npy = {decode_npy, DOCUMENT_FORM_BINARY,
                                              encode_npy};
static const struct wire_format npy_to_json = {decode_npy, DOCUMENT_FORM_JSON,
                                               encode_json};

/* An .npy request gets an .npy reply, unless Accept prefers JSON by name. */
static bool prefers_json(const char *accept)
{
    static const char *const jsons[] = {"application/json", NULL};
    static const char *const npys[] = {NPY_TYPE, NULL};
    static const char *const patterns[] = {"*/*", "application/*", NULL};
    int json_at, npy_at, json, npy;

    if (!accept)
        return false;
    json = accept_weight(accept, jsons, patterns, &json_at);
    npy = accept_weight(accept, npys, patterns, &npy_at);
    return json > npy || (json > 0 && json == npy && json_at < npy_at);
}

static bool is_npy(const char *content_type)
{
    struct accept_entry type;

    return content_type && accept_next(content_type, &type) &&
           accept_is(&type, NPY_TYPE);
}

static const struct wire_format *choose(const struct api_request *request)
{
    if (request->is_protobuf)
        return &protobuf_to_protobuf;
    if (!is_npy(request->content_type))
        return &json_to_json;
    return prefers_json(request->accept) ? &npy_to_json : &npy_to_npy;
}

uint64_t api_timeout(const struct api_request *request)
{
    struct status st;
    size_t len;

    if (request->is_protobuf)
        return protobuf_timeout(request);
    if (is_npy(request->content_type))
        return npy_timeout(request->query);
    json_length(request, &len, &st);
    return len <= TIMEOUT_MAX_LEN
               ? request_parameters_timeout((const char *)request->body, len)
               : 0;
}

bool api_may_use_shm(const struct api_request *request)
{
    static const char key[] = "shared_memory_region";
    struct status st;
    size_t len;

    if (request->is_protobuf)
        return protobuf_may_use_shm(request);
    if (is_npy(request->content_type))
        return false;
    json_length(request, &len, &st);
    /* With a backslash the key may be written with escapes. */
    return len > 0 && (memchr(request->body, '\\', len) ||
                       memmem(request->body, len, key, sizeof(key) - 1));
}

bool api_only_moves(const struct api_request *request)
{
    return request->is_protobuf || request->inference_header ||
           choose(request) == &npy_to_npy;
}

/* Chooses decoder and encoder by the headers. */
static bool prepare_infer(const struct model *model,
                          const struct api_request *request,
                          struct api_plan *plan, struct api_reply *reply)
{
    const struct wire_format *format = choose(request);
    struct status st;
    struct infer *infer = infer_new(model, request, format->form, &st);

    plan->model = model;
    plan->encode = format->encode;
    plan->infer = infer;
    if (infer && format->decode(infer, &st) && infer_prepare(infer, plan, &st))
        return true;
    infer_free(infer);
    plan->infer = NULL;
    api_reply_status(reply, &st);
    return false;
}

/* Ends an object with the answer; returns the status. */
static int write_ready(const struct api_request *request, struct writer *w)
{
    writer_text(w, request->ready ? "true}" : "false}");
    return request->ready ? 200 : 503;
}

static void describe_model(const struct model *model,
                           const struct api_request *request,
                           enum api_route_id route, struct api_reply *reply)
{
    struct writer w = {.grows = true};
    int status = 200;

    if (route == API_ROUTE_MODEL) {
        models_metadata(model, &w);
    } else if (route == API_ROUTE_CONFIG) {
        models_config(model, &w);
    } else {
        json_write_print(&w, "{\"name\":%s,\"ready\":", model->name);
        status = write_ready(request, &w);
    }
    reply_text(reply, status, &w);
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
        return prepare_infer(model, request, plan, reply);
    else
        describe_model(model, request, route->id, reply);
    return false;
}

#define SERVER                                                                 \
    "{\"name\":\"flipd\",\"version\":\"" FLIPD_VERSION                         \
    "\",\"extensions\":[\"binary_tensor_data\",\"logging\","                   \
    "\"model_configuration\",\"parameters\",\"statistics\""

static bool answer_route(const struct api_request *request,
                         const struct api_route *route, struct api_plan *plan,
                         struct api_reply *reply)
{
    struct writer w = {.grows = true};
    struct status st;
    int status = 200;

    switch (route->id) {
    case API_ROUTE_SERVER:
        writer_text(&w, SERVER);
        writer_text(&w, request->regions ? ",\"system_shared_memory\"]" : "]");
        json_write_print(&w, ",\"simd\":%s}", isa_name(isa_active()));
        break;
    case API_ROUTE_LIVE:
        writer_text(&w, "{\"live\":true}");
        break;
    case API_ROUTE_READY:
        writer_text(&w, "{\"ready\":");
        status = write_ready(request, &w);
        break;
    case API_ROUTE_MODELS:
        models_list(request, &w);
        break;
    case API_ROUTE_INDEX:
        if (models_index(request, &w, &st))
            break;
        api_reply_status(reply, &st);
        return false;
    case API_ROUTE_LOAD:
        api_reply_error(reply, 501,
                        "models are loaded and unloaded by editing the models "
                        "file (--models FILE) and sending SIGHUP, not over the "
                        "wire");
        return false;
    case API_ROUTE_CONTRACT:
    case API_ROUTE_CONTRACT_JSON:
    case API_ROUTE_PAGE:
    case API_ROUTE_DOCS:
    case API_ROUTE_STATUS:
        *reply = page_replies[route->id];
        return false;
    case API_ROUTE_MODEL:
    case API_ROUTE_CONFIG:
    case API_ROUTE_MODEL_READY:
    case API_ROUTE_INFER:
        return prepare_model(request, route, plan, reply);
    default:
        api_reply_error(reply, 404,
                        "this route is answered by the server only");
        return false;
    }
    reply_text(reply, status, &w);
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
    struct infer_result result;
    struct status st;

    if (!infer_execute(plan->infer, buffer, cancel, &result, &st)) {
        api_reply_status(reply, &st);
        return;
    }
    *reply = (struct api_reply){.status = 200};
    plan->encode(&result, reply);
}

void api_plan_free(struct api_plan *plan)
{
    infer_free(plan->infer);
    *plan = (struct api_plan){0};
}
