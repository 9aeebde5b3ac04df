/* One infer request between prepare and execute; private to api/infer. The form
 * that the data came in and the form that it leaves in decide how it moves. */
#pragma once

#include "api/infer/infer.h"
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

/* Checks that the result's `bytes` fit into its region. */
bool infer_region_holds(const struct infer_target *target, size_t bytes,
                        struct status *st);

/* True if source and target are different parts of shared memory that have
 * bytes in common, or may have them. */
bool infer_regions_overlap(const struct infer *infer);

/* Sets infer->layout, and the plan's sizes and timeout. Fails where the data
 * has no form that the result could have. */
bool infer_plan(struct infer *infer, struct api_plan *plan, struct status *st);

/* Decodes the backward context that the request gives, if any, into lengths and
 * axes. Fails with INVALID, also when they are given as well. */
bool infer_read_context(struct infer *infer, struct status *st);

/* Encodes them into infer->backward_context when the request asks for it. */
bool infer_write_context(struct infer *infer, struct status *st);
