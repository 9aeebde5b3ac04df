/* The wire formats of an infer request and its reply. Content-Type and Accept
 * are read for them here and nowhere else. */
#pragma once

#include "api/api.h"
#include "api/infer/request.h"
#include "api/models/model.h"
#include "api/wire/encoder.h"

struct wire_format {
    /* Decodes the body; the caller gets the document's reference. */
    bool (*decode)(const struct api_request *request, const struct model *model,
                   struct infer_request *decoded, struct status *st);
    /* The timeout of a request that is not decoded yet. */
    uint64_t (*timeout)(const struct api_request *request);
    const struct encoder *encoder;
    const char *type;        /* Content-Type of an encoded result, */
    const char *binary_type; /* and of one with binary data behind JSON */
};

/* Static. */
const struct wire_format *wire_format_choose(const struct api_request *request);

/* The length of the JSON document in the body; the whole body when the header
 * about it is wrong, for such a request is refused later. */
size_t wire_format_json_length(const struct api_request *request);
