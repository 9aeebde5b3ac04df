/* The parts of a ModelInferRequest that are read before it is decoded, or more
 * than once. Private to api/wire. */
#pragma once

#include <stddef.h>

#include "api/api.h"
#include "api/document/document.h"
#include "api/protobuf/protobuf.h"

/* The numbers of the fields. */
enum {
    REQUEST_MODEL_NAME = 1,
    REQUEST_MODEL_VERSION = 2,
    REQUEST_ID = 3,
    REQUEST_PARAMETERS = 4,
    REQUEST_INPUTS = 5,
    REQUEST_OUTPUTS = 6,
    REQUEST_RAW_INPUT_CONTENTS = 7,

    INPUT_NAME = 1,
    INPUT_DATATYPE = 2,
    INPUT_SHAPE = 3,
    INPUT_PARAMETERS = 4,
    INPUT_CONTENTS = 5,

    OUTPUT_NAME = 1,
    OUTPUT_PARAMETERS = 2,

    ENTRY_KEY = 1, /* of `parameters` */
    ENTRY_VALUE = 2,

    PARAMETER_BOOL = 1,
    PARAMETER_INT64 = 2,
    PARAMETER_STRING = 3,
    PARAMETER_DOUBLE = 4,
    PARAMETER_UINT64 = 5,
};

/* Fields of a message in all its depth, but for the elements of contents. A
 * document of JSON has the same limit. */
enum { MESSAGE_FIELDS = 2000 };

/* A parameter about the response, and none of a model. */
#define MESSAGE_FINAL "triton_enable_empty_final_response"

/* Reads an entry of `parameters`, whose texts have no NUL behind them; null
 * without a value. `where` is the map, "inputs[0].parameters". Fails with
 * MALFORMED, or INVALID for a key with a NUL. */
bool parameter_read(const struct protobuf_reader *outer,
                    const struct protobuf_field *entry, const char *where,
                    struct tree_value *parameter, struct status *st);

/* InferTensorContents: the elements of a tensor, in one list for each group of
 * datatypes. They are read twice: first counted, then converted. */
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
 * "inputs[0]". Fails with MALFORMED. */
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

/* Converts the contents of an input, which contents_check() has passed, to
 * `out`. Returns the byte behind the last one; NULL with INVALID or MALFORMED,
 * naming the element. */
unsigned char *contents_convert(const struct protobuf_field *input,
                                const struct tensor *tensor, unsigned char *out,
                                struct status *st);
