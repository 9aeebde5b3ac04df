/* A ModelInferRequest as it lies in memory: where its parts are, and its
 * parameters. Private to api/wire. */
#pragma once

#include <stddef.h>

#include "api/api.h"
#include "api/document/document.h"
#include "api/protobuf/protobuf.h"
#include "api/wire/contents.h"

/* The numbers of an entry's fields, and of those of its value. */
enum {
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,

    PARAMETER_BOOL = 1,
    PARAMETER_INT64 = 2,
    PARAMETER_STRING = 3,
    PARAMETER_DOUBLE = 4,
    PARAMETER_UINT64 = 5,
};

/* The entry as it lies in the message. */
struct parameter {
    struct protobuf_text key;
    struct document_parameter value; /* without key and text */
    struct protobuf_text text;       /* of a string */
    bool has_value;
};

/* Reads an entry; `where` is the map, "inputs[0].parameters". Fails with
 * INVALID when it is malformed, or has text that is not UTF-8. */
bool parameter_read(const struct protobuf_reader *outer,
                    const struct protobuf_field *entry, const char *where,
                    struct parameter *parameter, struct status *st);

/* The same as the parameter of a document. Its texts are copied to *at, which
 * moves behind them: key, text and two NULs. Fails with INVALID without a
 * value, and for a text that gives an attribute under a key like params. */
bool parameter_store(const struct parameter *parameter, const char *where,
                     char **at, struct document_parameter *stored,
                     struct status *st);

/* Copies a text and a NUL to *at, and moves that behind them. */
char *parameter_text(const struct protobuf_text *text, char **at);

/* The numbers of the fields; those of an entry of a map are above. */
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
};

/* Fields of a message in all its depth, but for the elements of contents. A
 * document of JSON has the same limit. */
enum { INFER_MESSAGE_FIELDS = 2000 };

/* A parameter about the response, and none of a model. */
#define INFER_MESSAGE_FINAL "triton_enable_empty_final_response"

/* What errors call an input, its texts and its parameters. */
struct input_names {
    const char *input, *name, *datatype, *parameters;
};

extern const struct input_names infer_message_names[DOCUMENT_MAX_INPUTS];

struct input_message {
    struct protobuf_field field; /* all of it */
    struct protobuf_text name, datatype;
    struct shape shape;
    struct contents contents;
};

/* The inputs, with what the decoder needs of the rest. */
struct infer_message {
    const struct api_head *head; /* borrowed */
    int input_count;
    struct input_message inputs[DOCUMENT_MAX_INPUTS];
    size_t text_bytes;  /* most that names, keys and texts take, with NULs */
    size_t value_bytes; /* most that contents take as tensors */
};

/* Reads the id and the inputs; borrows the head. Fails with MALFORMED or
 * INVALID, naming the byte of a malformed message, or the field at fault. */
bool infer_message_read(const struct api_request *request,
                        const struct api_head *head,
                        struct infer_message *message, struct status *st);
