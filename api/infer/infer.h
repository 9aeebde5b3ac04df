/* One infer request: prepare reads and checks, execute moves the data.
 *
 * A decoder describes the request, an encoder writes the result. A new one of
 * them, or a new transport, changes nothing here. No transport and no text
 * format shows, except for data arrays of JSON, which stay text until they
 * move. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/api.h"
#include "api/document/document.h"
#include "api/lex/numbers.h"
#include "api/models/model.h"
#include "api/server_state.h"

/* A data array that was validated while it arrived. */
struct infer_validated {
    struct validated_part part;       /* of the document; start 0: none */
    enum dtype dtype;                 /* that its elements were validated as */
    const struct comma_index *commas; /* borrowed: of its elements */
};

struct infer_request {
    struct document *doc; /* owned */
    struct infer_validated validated;

    /* Borrowed and writable: data is moved in place, and the encoder may
     * overwrite all that lies before it. The bytes of inputs that the decoder
     * has not placed start at offset `binary_start`. */
    unsigned char *body;
    size_t body_len;
    size_t binary_start;
    /* Of binary data. Big-endian elements can be moved, not computed; in
     * column-major order the result is too. */
    bool big_endian, column_major;

    const struct api_regions *regions; /* borrowed; NULL: no shared memory */
    const struct api_heap *heap;       /* borrowed; NULL: without a bound */
    enum document_form form;           /* of the result */
    bool wants_final; /* the reply is to be marked as the last one */
};

enum { INFER_RESULT_TAILROOM = 4 }; /* writable bytes behind text */

struct infer_tensor {
    const char *name;
    enum dtype dtype;
    const struct shape *shape;
    enum document_form form;       /* JSON, BINARY or REGION */
    bool big_endian, column_major; /* as the request's */

    /* JSON and BINARY; in the request's body or in the buffer. All of it and
     * `headroom` bytes in front of it are the encoder's to overwrite. */
    unsigned char *data;
    size_t len;
    size_t headroom;
};

/* Borrowed from the request and the model, as all text here. */
struct infer_result {
    const char *model_name, *model_version;
    const char *id; /* of the request; NULL: none */
    size_t id_len;
    const char *echo;             /* the parameter `name`; NULL: none */
    const char *backward_context; /* that parameter; NULL: none */
    bool wants_final;             /* as the request's */
    struct infer_tensor tensor;
    char *head; /* memory for what the encoder writes in front of the data */
    size_t head_size;
};

/* Reads and checks everything but the values of JSON data that is only moved or
 * converted. Takes over request->doc, also when it fails. NULL with any status.
 */
struct infer *infer_prepare(const struct model *model,
                            const struct infer_request *request,
                            struct status *st);

/* Fills in the plan's sizes and timeout. Before infer_execute(). */
void infer_plan(struct infer *infer, struct api_plan *plan);

/* Moves the data and describes the result. `buffer` has plan->memory bytes,
 * aligned as by malloc(). `cancel` may be NULL; it is read about once a MiB.
 * Fails with INVALID, CANCELLED or NO_MEMORY. */
bool infer_execute(struct infer *infer, unsigned char *buffer,
                   const atomic_bool *cancel, struct infer_result *result,
                   struct status *st);

/* NULL is allowed. */
void infer_free(struct infer *infer);
