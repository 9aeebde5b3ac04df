#include <string.h>

#include "api/base/digits.h"
#include "api/document/cache.h"
#include "api/document/read.h"
#include "api/wire/decoder.h"
#include "api/wire/early_read.h"

bool decode_json_length(const struct api_request *request, size_t *len,
                        struct status *st)
{
    const char *header = request->inference_header;
    uint64_t value;

    *len = request->body_len;
    if (!header)
        return true;
    if (!digits_read(header, strlen(header), &value))
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is '%.40s', but it "
                           "must be a number of bytes",
                           header);
    if (value > request->body_len)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is %.40s, but the "
                           "body has %zu bytes",
                           header, request->body_len);
    if (value == 0)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is 0, which asks "
                           "for a raw binary request: no model here takes one, "
                           "for each has two inputs");
    *len = (size_t)value;
    return true;
}

bool decode_json(const struct api_request *request, const struct op *op,
                 struct infer_request *decoded, struct status *st)
{
    struct document_source document = {
        .has_header = request->inference_header != NULL,
        .cache = request->cache,
    };
    const struct early_read *early = request->early;
    size_t len;

    (void)op;
    *decoded = (struct infer_request){.body = request->body,
                                      .body_len = request->body_len};
    if (!decode_json_length(request, &len, st))
        return false;
    /* A part that goes past the document is of no use: the document will be
     * refused. */
    if (early && early->validated.part.validated_end <= len)
        decoded->validated = early->validated;
    document.text = (struct document_text){(const char *)request->body, len,
                                           decoded->validated.part};
    decoded->binary_start = len;
    decoded->doc = document_read(&document, &decoded->instance, st);
    return decoded->doc != NULL;
}
