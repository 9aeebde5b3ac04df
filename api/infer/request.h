/* One infer request as a decoder describes it. No transport and no text format
 * shows here, except for data arrays of JSON, which stay text until they move.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/document/document.h"
#include "api/lex/comma_index.h"
#include "api/prescan/walk.h"
#include "api/server_state.h"
#include "kernels/core/dtype.h"

/* The form of the result's data. */
enum infer_form {
    INFER_FORM_ASKED,  /* as the document's outputs and parameters say */
    INFER_FORM_TEXT,   /* a flat JSON array */
    INFER_FORM_BINARY, /* bytes */
    INFER_FORM_REGION, /* bytes, in shared memory */
};

/* A data array that was validated while it arrived. */
struct infer_validated {
    struct validated_part part;       /* of the document; start 0: none */
    enum dtype dtype;                 /* that its elements were validated as */
    const struct comma_index *commas; /* borrowed: of its elements */
};

struct infer_request {
    struct document *doc; /* owned: a reference */
    struct document_instance instance;
    struct infer_validated validated;

    /* Borrowed and writable: data is moved in place, and the encoder may
     * overwrite all that lies before it. Binary tensors start at offset
     * `binary_start`, in the order of the inputs. */
    unsigned char *body;
    size_t body_len;
    size_t binary_start;
    bool big_endian; /* binary data: its elements can be moved, not computed */

    const struct api_regions *regions; /* borrowed; NULL: no shared memory */
    enum infer_form form;              /* of the result */
};
