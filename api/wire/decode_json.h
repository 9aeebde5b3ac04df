/* Decodes the JSON document of an infer request, and the binary tensors behind
 * it. */
#pragma once

#include "api/document/cache.h"
#include "api/infer/request.h"
#include "api/wire/early_read.h"

struct decode_json_source {
    unsigned char *body; /* borrowed; writable */
    size_t len;
    const char *inference_header; /* Inference-Header-Content-Length or NULL */
    const struct early_read *early; /* borrowed, of this body; or NULL */
    struct document_cache *cache;   /* borrowed; or NULL */
};

/* Sets document, body and binary_start of `request`, which is zeroed otherwise;
 * the caller gets the document's reference. Fails with INVALID, TOO_LARGE or
 * NO_MEMORY, without a document. */
bool decode_json(const struct decode_json_source *source,
                 struct infer_request *request, struct status *st);
