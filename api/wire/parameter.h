/* InferParameter: the entries of the maps called `parameters`. Private to
 * api/wire. */
#pragma once

#include "api/document/document.h"
#include "api/protobuf/text.h"

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
