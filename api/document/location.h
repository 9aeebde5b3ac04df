/* The parameters of an input or an output: most of them say where its bytes
 * are. They are the same in every wire format. */
#pragma once

#include <stdbool.h>

#include "api/document/document.h"

struct location {
    bool is_input;   /* set by the caller, as the next one */
    const char *key; /* binary_data_size of an input, or binary_data */
    struct document_parameter value; /* of that key; its key NULL: absent */
    bool is_numpy;                   /* an input's content_type is "np" */
    struct document_region region;
    bool has_offset, has_bytes;
};

/* Reads one parameter; `where` is the object of all, "inputs[0].parameters".
 * Keys of the client's own are ignored. Fails with INVALID for a value of the
 * wrong type, and a key that was meant to change the answer. */
bool location_read(struct location *location, const char *where,
                   const struct document_parameter *p, struct status *st);

/* Checks that a region is whole, when all parameters have been read. */
bool location_check(const struct location *location, const char *where,
                    struct status *st);

/* The value of a parameter as a size, and as a boolean. */
bool location_size(const struct document_parameter *p, const char *where,
                   uint64_t *size, struct status *st);
bool location_bool(const struct document_parameter *p, const char *where,
                   bool *flag, struct status *st);
