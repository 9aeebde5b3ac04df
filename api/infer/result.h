/* The result of one infer request, before it has a wire format. */
#pragma once

#include <stddef.h>

#include "api/infer/request.h"
#include "kernels/core/tensor.h"

enum { INFER_RESULT_TAILROOM = 4 }; /* writable bytes behind text */

struct infer_tensor {
    const char *name;
    enum dtype dtype;
    const struct shape *shape;
    enum infer_form form; /* TEXT, BINARY or REGION */

    /* TEXT and BINARY; in the request's body or in the buffer. All of it and
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
    struct infer_tensor tensor;
};
