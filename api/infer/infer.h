/* One infer request: prepare reads and checks, execute moves the data. A
 * decoder describes the request, an encoder writes the result. No transport and
 * no wire format shows, except for data arrays of JSON, which stay text until
 * they move. The form that the data came in and the form that it leaves in
 * decide how it moves. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/api.h"
#include "api/document/document.h"
#include "api/lex/numbers.h"
#include "api/models/model.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/ops/op.h"

/* A data array that was validated while it arrived. */
struct infer_validated {
    struct validated_part part;       /* of the document; start 0: none */
    enum dtype dtype;                 /* that its elements were validated as */
    const struct comma_index *commas; /* borrowed: of its elements */
};

/* The data that moves, where it is. */
struct infer_source {
    unsigned char *bytes; /* borrowed: its data or text */
    uint64_t count;       /* of elements */
    bool is_text;
    bool is_read_only;      /* `bytes` are constant or lie in shared memory */
    unsigned char *copy;    /* owned: `bytes`, copied from shared memory */
    struct data_array text; /* is_text */
};

/* The result's data, where it goes. */
struct infer_target {
    const char *name;        /* borrowed: of the output */
    enum document_form form; /* first the wire format's, which may be ASKED */
    unsigned char *region;   /* REGION: borrowed */
    size_t region_size;      /* bytes of it */
    bool is_aliased; /* inputs may have bytes of it at other addresses */
};

/* The parts of the buffer, in their order; in bytes. */
struct infer_layout {
    size_t index;    /* spans of text or bytes */
    size_t headroom; /* for the encoder */
    size_t data;     /* of the result, without its tailroom */
    size_t scratch;  /* values between text and text */
    size_t move_scratch;
};

/* Up to source.text the request starts as zeros; each later member is written
 * before it is read. */
struct infer {
    const struct model *model; /* borrowed */
    /* Borrowed until the reply is made. Data is moved in its body in place, and
     * the encoder may overwrite all that lies before it. */
    const struct api_request *request;

    /* From the decoder, as is `doc`. The bytes of inputs that it has not placed
     * start at offset `binary_start` of the body. */
    struct infer_validated validated;
    size_t binary_start;
    /* Of binary data. Big-endian elements can be moved, not computed; in
     * column-major order the result is too. */
    bool big_endian, column_major;
    bool wants_final; /* the reply is to be marked as the last one */

    double coefficient;     /* 1 unless the operator scales */
    unsigned char *control; /* owned: call.control's data, while preparing */
    char *backward_context; /* owned: for the result, or NULL */
    struct infer_target target;
    struct infer_layout layout;
    struct infer_source source;
    struct request_parameters settings;
    struct op_call call;            /* call.data is the tensor that moves */
    struct permutation permutation; /* owned */
    struct document doc;            /* owned */
};

enum { INFER_RESULT_TAILROOM = 4 }; /* writable bytes behind text */

/* What an encoder writes: the tensor `call.data` with these bytes, which lie in
 * the request's body or in the buffer; NULL: in the target's region. All of
 * them and `headroom` bytes in front are the encoder's to overwrite. */
struct infer_result {
    const struct infer *infer;
    unsigned char *data;
    size_t len;
    size_t headroom;
    char *head; /* memory for what the encoder writes in front of the data */
    size_t head_size;
};

/* A request to decode, and the form of its result; NULL with NO_MEMORY. */
struct infer *infer_new(const struct model *model,
                        const struct api_request *request,
                        enum document_form form, struct status *st);

/* Reads and checks everything but the values of JSON data that is only moved or
 * converted, and fills in the plan's sizes and timeout. Fails with any status.
 */
bool infer_prepare(struct infer *infer, struct api_plan *plan,
                   struct status *st);

/* Moves the data and describes the result. `buffer` has plan->memory bytes,
 * aligned as by malloc(). `cancel` may be NULL; it is read about once a MiB.
 * Fails with INVALID, CANCELLED or NO_MEMORY. */
bool infer_execute(struct infer *infer, unsigned char *buffer,
                   const atomic_bool *cancel, struct infer_result *result,
                   struct status *st);

/* NULL is allowed. */
void infer_free(struct infer *infer);

/* The text of the parameter `name`, which the reply repeats; NULL: none. */
static inline const char *infer_echo(const struct infer *infer)
{
    const struct attribute_value *echo =
        request_parameters_role(&infer->settings, ATTRIBUTE_ECHO);

    return echo ? echo->text : NULL;
}

/* Private to api/infer. */

/* Checks that the result's `bytes` fit into its region. */
bool infer_region_holds(const struct infer_target *target, size_t bytes,
                        struct status *st);

/* Sets infer->layout, and the plan's sizes and timeout. Fails where the data
 * has no form that the result could have. */
bool infer_plan(struct infer *infer, struct api_plan *plan, struct status *st);

/* Decodes the backward context that the request gives, if any, into lengths and
 * axes. Fails with INVALID, also when they are given as well. */
bool infer_read_context(struct infer *infer, struct status *st);

/* Encodes them into infer->backward_context when the request asks for it. */
bool infer_write_context(struct infer *infer, struct status *st);
