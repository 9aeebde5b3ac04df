/* Random data arrays beside the plain list of their elements: what the text
 * mover and the conversions are judged by. */
#pragma once

#include <stdint.h>

#include "api/tensor_json/tensor_json.h"

enum { ARRAY_DRAFT_ELEMENT = 96 }; /* bytes, with the NUL */

struct array_draft {
    struct data_array array; /* its text is owned */
    /* owned: each element as it stands in a flat array; COMPLEX as "re,im" */
    char (*elements)[ARRAY_DRAFT_ELEMENT];
};

/* Writes elements of the array's datatype and shape in one of the nestings that
 * are accepted, with or without white space. `state` as in naive.h. */
void array_draft_init(struct array_draft *draft, enum dtype dtype,
                      const struct shape *shape, uint64_t *state);
void array_draft_free(struct array_draft *draft);
