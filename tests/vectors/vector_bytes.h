/* The tensors of vectors as bytes. */
#pragma once

#include "tests/vector_file.h"

struct bytes { /* owned memory */
    unsigned char *data;
    size_t len;
};

/* The binary form of a JSON array of the file. */
struct bytes vector_binary(struct vector_text text, enum dtype dtype,
                           const struct shape *shape);

/* Those of the data, and of the answer that is expected. */
struct bytes vector_data(const struct vector *v);
struct bytes vector_expected(const struct vector *v);
