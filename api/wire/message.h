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

/* Finds the input's bytes in the message or, where they have another form in a
 * tensor, converts them to *out, which goes behind them. The list must be that
 * of the input's datatype, with the elements of its shape. `message` is input
 * `i` of the message in `body`. Fails with INVALID or MALFORMED, naming the
 * element. */
bool contents_place(const struct contents *contents,
                    const struct protobuf_field *message, int i,
                    unsigned char *body, struct document_input *input,
                    unsigned char **out, struct status *st);
