/* InferTensorContents: the elements of a tensor as a list of numbers or of
 * bytes, one list for each group of datatypes. They are read twice: first
 * counted, then converted. Private to api/wire. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/protobuf/protobuf.h"
#include "kernels/core/tensor.h"

struct contents {
    unsigned lists; /* a bit for the number of each list with an element */
    uint64_t count; /* elements of all lists */
    size_t bytes;   /* most that they take as a tensor */
    /* The only part of the only list, if that is packed: the tensor itself
     * where an element takes as many bytes in a tensor. */
    const unsigned char *packed;
    size_t packed_len;
    size_t parts;
};

/* Adds a field `contents` of an input; several are one. `where` is the input,
 * "inputs[0]". Fails with INVALID when it is malformed. */
bool contents_add(struct contents *contents, const struct protobuf_field *field,
                  const char *where, struct status *st);

/* Checks that the list is that of the tensor's datatype and that it has
 * `count` elements, of the tensor's shape. Fails with INVALID. */
bool contents_check(const struct contents *contents,
                    const struct tensor *tensor, uint64_t count, int input,
                    struct status *st);

/* The tensor's bytes where they lie in the message, or NULL when they have to
 * be converted. */
const unsigned char *contents_in_place(const struct contents *contents,
                                       enum dtype dtype);

/* Converts the elements of a field `contents` that contents_add() has read, to
 * `out`, behind those of the fields before it: *index is their number. Returns
 * the byte behind the last one; NULL with INVALID, naming element, value and
 * limit. */
unsigned char *contents_convert(const struct protobuf_field *field,
                                const struct tensor *tensor, uint64_t *index,
                                unsigned char *out, struct status *st);
