#include "api/wire/decode_json.h"

#include "api/document/cache.h"
#include "api/document/read.h"
#include "api/wire/early_read.h"
#include "api/wire/inference_header.h"

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
    if (!inference_header_read(request->inference_header, request->body_len,
                               &len, st))
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
