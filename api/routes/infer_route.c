/* Infer requests: the choice of the wire formats by Content-Type and Accept,
 * and the steps of api.h. */
#include <string.h>

#include "api/base/accept.h"
#include "api/infer/infer.h"
#include "api/routes/routes.h"
#include "api/wire/query.h"
#include "api/wire/wire.h"

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
static const struct wire_format protobuf_to_final = {
    decode_protobuf, DOCUMENT_FORM_BINARY, &encode_protobuf_final};
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
        return protobuf_wants_final(request) ? &protobuf_to_final
                                             : &protobuf_to_protobuf;
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
        return query_timeout(request->query);
    len = json_length(request);
    return len <= TIMEOUT_MAX_LEN
               ? document_timeout((const char *)request->body, len)
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

static struct infer *prepare(const struct model *model,
                             const struct api_request *request,
                             const struct wire_format *format,
                             struct status *st)
{
    struct infer_request decoded;

    if (!format->decode(request, model->op, &decoded, st))
        return NULL;
    decoded.form = format->form;
    decoded.regions = request->regions;
    decoded.heap = request->heap;
    return infer_prepare(model, &decoded, st);
}

bool infer_route_prepare(const struct model *model,
                         const struct api_request *request,
                         struct api_plan *plan, struct api_reply *reply)
{
    const struct wire_format *format = choose(request);
    struct infer_result result;
    struct status st;

    plan->model = model;
    plan->infer = prepare(model, request, format, &st);
    if (!plan->infer) {
        api_reply_status(reply, &st);
        return false;
    }
    infer_describe(plan->infer, &result);
    plan->encoder = format->encoder;
    infer_plan(plan->infer, plan->encoder->bound(&result), plan);
    return true;
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
