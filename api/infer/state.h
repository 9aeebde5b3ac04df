/* One infer request between prepare and execute, and the steps of both; private
 * to api/infer. The form that the data came in and the form that it leaves in
 * decide how it moves. */
#pragma once

#include "api/infer/infer.h"
#include "api/models/request_parameters.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/ops/op.h"

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
    const char *name; /* borrowed: of the output */
    enum document_form form;
    unsigned char *region; /* REGION: borrowed */
    size_t region_size;    /* bytes of it */
    bool is_aliased;       /* inputs may have bytes of it at other addresses */
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
                    infer->target.form == DOCUMENT_FORM_JSON &&
                    infer->coefficient == 1.0;

    return verbatim || infer->call.data.dtype == DTYPE_BYTES;
}

/* Checks the inputs' names and sizes, and finds the bytes or the text of the
 * data (infer->source) and of lengths or axes (infer->call.control), which are
 * converted to binary. Fails with INVALID, or as region_find(). */
bool locate_inputs(struct infer *infer, struct status *st);

/* Finds the bytes of each input that is not JSON: behind the document, in the
 * order of the inputs, where its decoder has placed them, or in shared memory.
 * Fails with INVALID when they are not as long as datatype and shape say, or as
 * region_find(). */
bool bytes_find(const struct infer_request *request, unsigned char **bytes,
                struct status *st);

/* Finds the bytes of the tensor `name`, which found->data is. Fails with
 * NOT_SUPPORTED where shared memory is off, NOT_FOUND for an unknown region,
 * INVALID past its end. */
bool region_find(const struct api_regions *regions,
                 const struct document_region *region, const char *name,
                 struct api_region *found, struct status *st);

/* Finds the region that the document names for its output, if any. */
bool region_find_target(struct infer *infer, struct status *st);

/* Checks that the result's `bytes` fit into that region. */
bool region_holds(const struct infer_target *target, size_t bytes,
                  struct status *st);

/* Copies shared source data that is to be read as values or lengths, for its
 * client may write to it at any time. */
bool region_copy_source(struct infer *infer, struct status *st);

/* A copy for the caller to free; NULL with TOO_LARGE past 64 MiB, or NO_MEMORY.
 * `as` names the use in the error: "JSON". */
unsigned char *region_copy(const struct infer *infer,
                           const struct tensor *tensor, const char *as,
                           struct status *st);

/* True if source and target are different parts of shared memory that have
 * bytes in common, or may have them. */
bool region_overlaps(const struct infer *infer);

/* Decodes the backward context that the request gives, if any, into lengths and
 * axes as if they had been given instead. Fails with INVALID, also when they
 * are given as well. */
bool backward_parameter_read(struct infer *infer, struct status *st);

/* Encodes lengths and axes into infer->backward_context when the request asks
 * for it. Fails with NO_MEMORY. */
bool backward_parameter_write(struct infer *infer, struct status *st);

/* Sets infer->layout but for the headroom. Fails where the data has no form
 * that the result could have. */
bool layout_decide(struct infer *infer, struct status *st);
