/* Random data arrays with the plain list of their elements, which is what moves
 * and conversions are compared with. */
#pragma once

#include <stdint.h>

#include "api/tensor_json/tensor_json.h"

enum { RANDOM_ARRAY_ELEMENT = 96 }; /* bytes, with the NUL */

struct random_array {
    struct data_array array; /* its text is owned */
    /* Owned: the text of each element; COMPLEX as "re,im". */
    char (*elements)[RANDOM_ARRAY_ELEMENT];
};

/* Makes an array of the datatype and shape in one of the accepted nestings,
 * with or without white space. `state` as in naive.h. To be freed by
 * random_array_free(). */
void random_array_init(struct random_array *source, enum dtype dtype,
                       const struct shape *shape, uint64_t *state);
void random_array_free(struct random_array *source);
