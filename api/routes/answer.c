/* Prepares and executes any request, and makes replies: declared in api.h.
 * Inferences have wire formats, chosen by Content-Type and Accept. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/accept.h"
#include "api/base/utf8.h"
#include "api/infer/infer.h"
#include "api/lex/simd.h"
#include "api/routes/page_text.h"
#include "api/routes/routes.h"
#include "api/wire/wire.h"
#include "kernels/core/isa.h"
#include "kernels/core/require.h"
#include "kernels/simd/kernel_table.h"

static const char no_memory[] = "out of memory";
static const char no_memory_json[] = "{\"error\":\"out of memory\"}";

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

void reply_text(struct api_reply *reply, int status, struct json_writer *text)
{
    *reply = (struct api_reply){
        .status = status, .content_type = "application/json", .piece_count = 1};
    if (text->failed) {
        free(text->data);
        reply->status = 503;
        reply->error = no_memory;
        reply->pieces[0].data = no_memory_json;
        reply->pieces[0].len = sizeof(no_memory_json) - 1;
        return;
    }
    reply->owned = text->data;
    reply->pieces[0].data = text->data;
    reply->pieces[0].len = text->len;
}

/* Makes `reply` a text as json_writer_print() writes it. */
__attribute__((format(printf, 3, 4))) static void
reply_print(struct api_reply *reply, int status, const char *format, ...)
{
    struct json_writer w;
    va_list args;

    json_writer_grow(&w);
    va_start(args, format);
    json_writer_vprint(&w, format, args);
    va_end(args);
    reply_text(reply, status, &w);
}

/* The text and a NUL, with U+FFFD for bytes that are not UTF-8, as in the JSON
 * in front of it: where that has no such character, nothing is to be done. */
static void write_text(struct json_writer *w, const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    size_t len = strlen(text), step;

    if (w->failed || !memchr(w->data, replacement[0], w->len)) {
        json_writer_bytes(w, text, len + 1);
        return;
    }
    for (; len > 0; text += step, len -= step) {
        step = utf8_length((const unsigned char *)text, len);
        if (step > 0)
            json_writer_bytes(w, text, step);
        else
            json_writer_raw(w, replacement);
        step += step == 0;
    }
    json_writer_bytes(w, "", 1);
}

void api_reply_error(struct api_reply *reply, int status, const char *text)
{
    struct json_writer w;
    size_t len;

    json_writer_grow(&w);
    json_writer_print(&w, "{\"error\":%s}", text);
    len = w.len;
    write_text(&w, text);
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

bool api_simd(struct api_simd *simd, struct status *st)
{
    if (!isa_check_environment(st))
        return false;
    simd->movers = kernel_table_active()->name;
    simd->json = json_simd_active()->name;
    return true;
}

/* Bytes of a document whose timeout is read while the request waits for a
 * worker: the thread that receives takes 5 to 10 us for so many. */
enum { TIMEOUT_MAX_LEN = 256 << 10 };

struct wire_format {
    /* Decodes the body; the caller frees the document. */
    bool (*decode)(const struct api_request *request, const struct op *op,
                   struct infer_request *decoded, struct status *st);
    enum document_form form; /* of the result's data */
    const struct encoder *encoder;
};

static const struct wire_format json_to_json = {
    decode_json, DOCUMENT_FORM_ASKED, &encode_json};
static const struct wire_format protobuf_to_protobuf = {
    decode_protobuf, DOCUMENT_FORM_BINARY, &encode_protobuf};
static const struct wire_format npy_to_npy = {decode_npy, DOCUMENT_FORM_BINARY,
                                              &encode_npy};
static const struct wire_format npy_to_json = {decode_npy, DOCUMENT_FORM_JSON,
                                               &encode_json};

/* The length of the JSON document in the body; the whole body when the header
 * about it is wrong, for such a request is refused later. */
static size_t json_length(const struct api_request *request)
{
    struct status st;
    size_t len;

    return decode_json_length(request, &len, &st) ? len : request->body_len;
}

/* An .npy request gets an .npy reply, unless Accept names JSON and prefers it.
 */
static bool prefers_json(const char *accept)
{
    const char *const jsons[] = {encode_json.type, NULL};
    const char *const npys[] = {encode_npy.type, NULL};
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
           accept_is(&type, encode_npy.type);
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
    size_t len;

    if (request->is_protobuf)
        return protobuf_timeout(request);
    if (is_npy(request->content_type))
        return npy_timeout(request->query);
    len = json_length(request);
    return len <= TIMEOUT_MAX_LEN
               ? request_parameters_timeout((const char *)request->body, len)
               : 0;
}

bool api_may_use_shm(const struct api_request *request)
{
    static const char key[] = "shared_memory_region";
    size_t len;

    if (request->is_protobuf)
        return protobuf_may_use_shm(request);
    if (is_npy(request->content_type))
        return false;
    len = json_length(request);
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
    struct infer_request decoded = {
        .body = request->body,
        .body_len = request->body_len,
        .regions = request->regions,
        .heap = request->heap,
        .form = format->form,
    };
    struct status st;

    plan->model = model;
    plan->encoder = format->encoder;
    if (format->decode(request, model->op, &decoded, &st) &&
        infer_prepare(model, &decoded, plan, &st))
        return true;
    api_reply_status(reply, &st);
    return false;
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
    else if (route->id == API_ROUTE_MODEL)
        models_metadata(model, reply);
    else if (route->id == API_ROUTE_CONFIG)
        models_config(model, reply);
    else
        reply_print(reply, request->ready ? 200 : 503,
                    request->ready ? "{\"name\":%s,\"ready\":true}"
                                   : "{\"name\":%s,\"ready\":false}",
                    model->name);
    return false;
}

#define SERVER                                                                 \
    "{\"name\":\"flipd\",\"version\":\"" FLIPD_VERSION                         \
    "\",\"extensions\":[\"binary_tensor_data\",\"logging\","                   \
    "\"model_configuration\",\"parameters\",\"statistics\""

static void answer_file(enum api_route_id route, struct api_reply *reply)
{
    static const struct page_file *const files[] = {
        [API_ROUTE_CONTRACT] = &page_contract_yaml,
        [API_ROUTE_CONTRACT_JSON] = &page_contract_json,
        [API_ROUTE_PAGE] = &page_page,
        [API_ROUTE_DOCS] = &page_docs,
        [API_ROUTE_STATUS] = &page_status,
    };
    const struct page_file *file = files[route];

    *reply = (struct api_reply){.status = 200,
                                .content_type = file->type,
                                .policy = file->policy,
                                .piece_count = 1,
                                .pieces = {file->plain},
                                .gzip = &file->gzip};
}

static bool answer_route(const struct api_request *request,
                         const struct api_route *route, struct api_plan *plan,
                         struct api_reply *reply)
{
    switch (route->id) {
    case API_ROUTE_SERVER:
        reply_print(reply, 200,
                    request->regions ? SERVER
                        ",\"system_shared_memory\"],\"simd\":%s}"
                                     : SERVER "],\"simd\":%s}",
                    isa_name(isa_active()));
        break;
    case API_ROUTE_LIVE:
        reply_print(reply, 200, "{\"live\":true}");
        break;
    case API_ROUTE_READY:
        reply_print(reply, request->ready ? 200 : 503,
                    request->ready ? "{\"ready\":true}" : "{\"ready\":false}");
        break;
    case API_ROUTE_MODELS:
        models_list(request, reply);
        break;
    case API_ROUTE_INDEX:
        models_index(request, reply);
        break;
    case API_ROUTE_LOAD:
        api_reply_error(reply, 501,
                        "models are loaded and unloaded by editing the models "
                        "file (--models FILE) and sending SIGHUP, not over the "
                        "wire");
        break;
    case API_ROUTE_CONTRACT:
    case API_ROUTE_CONTRACT_JSON:
    case API_ROUTE_PAGE:
    case API_ROUTE_DOCS:
    case API_ROUTE_STATUS:
        answer_file(route->id, reply);
        break;
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
        api_reply_error(reply, 404,
                        "this route is answered by the server only");
        break;
    }
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
    const struct encoder *encoder = plan->encoder;
    struct infer_result result;
    struct status st;

    if (!infer_execute(plan->infer, buffer, cancel, &result, &st)) {
        api_reply_status(reply, &st);
        return;
    }
    *reply = (struct api_reply){.status = 200};
    encoder->encode(&result, reply);
    reply->content_type =
        reply->json_len > 0 ? encoder->binary_type : encoder->type;
}

void api_plan_free(struct api_plan *plan)
{
    infer_free(plan->infer);
    *plan = (struct api_plan){0};
}
