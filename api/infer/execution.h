/* One execution: its memory and its result. */
#pragma once

#include <stdatomic.h>

#include "api/infer/state.h"

struct execution {
    struct infer *infer;
    struct span *rows;  /* the buffer's index */
    unsigned char *out; /* the buffer's data */
    const atomic_bool *cancel;
    struct status *st;
    unsigned char *data; /* the result: in `out`, the body or a region */
    size_t len;
};
