#include "api/routes/wire_format.h"

#include "api/base/accept.h"
#include "api/prescan/prescan.h"
#include "api/wire/decode_json.h"
#include "api/wire/decode_npy.h"
#include "api/wire/encode_json.h"
#include "api/wire/encode_npy.h"
#include "api/wire/inference_header.h"
#include "api/wire/query.h"

/* Bytes of a document whose timeout is read while the request waits for a
 * worker: the thread that receives takes 5 to 10 us for so many. */
enum { TIMEOUT_MAX_LEN = 256 << 10 };

static const char npy_type[] = "application/x-npy";
static const char json_type[] = "application/json";
static const char binary_type[] = "application/octet-stream";

size_t wire_format_json_length(const struct api_request *request)
{
    struct status st;
    size_t len;

    if (inference_header_read(request->inference_header, request->body_len,
                              &len, &st))
        return len;
    return request->body_len;
}

static bool read_json(const struct api_request *request,
                      const struct model *model, struct infer_request *decoded,
                      struct status *st)
{
    const struct decode_json_source source = {
        .body = request->body,
        .len = request->body_len,
        .inference_header = request->inference_header,
        .early = request->early,
        .cache = request->cache,
    };

    (void)model;
    return decode_json(&source, decoded, st);
}

static bool read_npy(const struct api_request *request,
                     const struct model *model, bool to_text,
                     struct infer_request *decoded, struct status *st)
{
    const struct decode_npy_source source = {
        .op = model->op,
        .body = request->body,
        .len = request->body_len,
        .query = request->query,
        .to_text = to_text,
    };

    return decode_npy(&source, decoded, st);
}

static bool read_npy_for_npy(const struct api_request *request,
                             const struct model *model,
                             struct infer_request *decoded, struct status *st)
{
    return read_npy(request, model, false, decoded, st);
}

static bool read_npy_for_json(const struct api_request *request,
                              const struct model *model,
                              struct infer_request *decoded, struct status *st)
{
    return read_npy(request, model, true, decoded, st);
}

static uint64_t json_timeout(const struct api_request *request)
{
    size_t len = wire_format_json_length(request);

    return len <= TIMEOUT_MAX_LEN
               ? prescan_timeout((const char *)request->body, len)
               : 0;
}

static uint64_t npy_timeout(const struct api_request *request)
{
    return query_timeout(request->query);
}

static const struct wire_format json_to_json = {
    read_json, json_timeout, &encode_json, json_type, binary_type};
static const struct wire_format npy_to_npy = {read_npy_for_npy, npy_timeout,
                                              &encode_npy, npy_type, npy_type};
static const struct wire_format npy_to_json = {
    read_npy_for_json, npy_timeout, &encode_json, json_type, binary_type};

/* An .npy request gets an .npy reply, unless Accept names JSON and prefers it.
 */
static bool prefers_json(const char *accept)
{
    static const char *const jsons[] = {json_type, NULL};
    static const char *const npys[] = {npy_type, NULL};
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
           accept_is(&type, npy_type);
}

const struct wire_format *wire_format_choose(const struct api_request *request)
{
    if (!is_npy(request->content_type))
        return &json_to_json;
    return prefers_json(request->accept) ? &npy_to_json : &npy_to_npy;
}
