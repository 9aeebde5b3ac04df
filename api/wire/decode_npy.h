/* Decodes an infer request without a document: the body is a .npy file, all
 * else is in the URL's query. The result equals that of a document with the
 * same content. */
#pragma once

#include "api/infer/request.h"
#include "kernels/ops/op.h"

struct decode_npy_source {
    const struct op *op; /* of the model: names its inputs */
    unsigned char *body; /* borrowed; writable */
    size_t len;
    const char *query; /* NULL: none */
    bool to_text;      /* the answer's data is JSON, not another file */
};

/* As decode_json(). */
bool decode_npy(const struct decode_npy_source *source,
                struct infer_request *request, struct status *st);
