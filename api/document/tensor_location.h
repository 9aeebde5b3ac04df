/* The parameters of an input or output that say where its bytes are. */
#pragma once

#include <jansson.h>

#include "api/document/document.h"

struct tensor_location {
    const char *key;     /* the one other key allowed; set by the caller */
    const json_t *value; /* of that key, borrowed; NULL when absent */
    struct document_region region;
    bool has_offset, has_bytes;
};

/* Reads the parameters of `object`; refuses any other key by its name. */
bool tensor_location_read(const json_t *object, const char *where,
                          struct tensor_location *location, struct status *st);

/* location->value as a number of bytes. */
bool tensor_location_bytes(const struct tensor_location *location,
                           const char *where, uint64_t *bytes,
                           struct status *st);
