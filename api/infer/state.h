/* The state of one infer request between prepare and execute; private to
 * api/infer. The form that the data came in and the form that it leaves in
 * decide how it moves. */
#pragma once

#include "api/infer/request.h"
#include "api/models/model.h"
#include "api/models/request_parameters.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/ops/op.h"

/* The data that moves, where it is. */
struct infer_source {
    unsigned char *bytes; /* borrowed: its data or text */
    uint64_t count;       /* of elements */
    bool is_text;
    bool is_shared;         /* `bytes` lie in shared memory: read only */
    unsigned char *copy;    /* owned: `bytes`, copied from shared memory */
    struct data_array text; /* is_text */
};

/* The answer's data, where it goes. */
struct infer_target {
    const char *name; /* borrowed: of the output */
    enum infer_form form;
    unsigned char *region; /* REGION: borrowed */
    size_t region_size;    /* bytes of it */
};

/* The buffer, from its start; the caller's headroom lies between index and
 * data. In bytes. */
struct infer_layout {
    size_t index;   /* spans of text or bytes */
    size_t data;    /* of the answer, without its tailroom */
    size_t scratch; /* values between text and text */
};

/* Up to source.text the request starts as zeros; each later member is written
 * before it is read. */
struct infer {
    const struct model *model; /* borrowed */
    struct infer_request request;
    double coefficient;     /* 1 unless the operator scales */
    unsigned char *control; /* owned: call.control's data, while preparing */
    char *backward_context; /* owned: for the result, or NULL */
    struct infer_target target;
    struct infer_layout layout;
    struct infer_source source;
    struct request_parameters settings;
    struct op_call call;            /* call.data is the tensor that moves */
    struct permutation permutation; /* owned */
};

/* True if the data moves as spans of text or bytes, not as values. */
static inline bool infer_moves_spans(const struct infer *infer)
{
    bool verbatim = infer->source.is_text &&
                    infer->target.form == INFER_FORM_TEXT &&
                    infer->coefficient == 1.0;

    return verbatim || infer->call.data.dtype == DTYPE_BYTES;
}
