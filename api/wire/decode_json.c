#include "api/wire/decode_json.h"

#include "api/document/read.h"
#include "api/wire/inference_header.h"

/* A part that goes past the document is of no use: the document will be
 * refused.
 */
static void use_validated(const struct decode_json_source *source,
                          size_t json_len, struct infer_request *request)
{
    const struct early_read *early = source->early;

    if (early && early->validated.part.validated_end <= json_len)
        request->validated = early->validated;
}

bool decode_json(const struct decode_json_source *source,
                 struct infer_request *request, struct status *st)
{
    struct document_source document = {
        .has_header = source->inference_header != NULL,
        .cache = source->cache,
    };
    size_t json_len;

    *request =
        (struct infer_request){.body = source->body, .body_len = source->len};
    if (!inference_header_read(source->inference_header, source->len, &json_len,
                               st))
        return false;
    use_validated(source, json_len, request);
    document.text = (struct document_text){(const char *)source->body, json_len,
                                           request->validated.part};
    request->binary_start = json_len;
    request->doc = document_read(&document, &request->instance, st);
    return request->doc != NULL;
}
