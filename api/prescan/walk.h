/* Follows the structure of an infer document, token by token, without recursion
 * and without building values: the inside of the pre-scan, and its structs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/lex/scan.h"
#include "kernels/core/status.h"

enum {
    WALK_MAX_SPANS = 64, /* data arrays */
    WALK_MAX_DEPTH = 100,
    /* Values outside of the data arrays: jansson takes up to 0.6 microseconds
     * and 240 bytes of heap for each. */
    WALK_MAX_VALUES = 2000,
    WALK_MAX_NUMBER = 400, /* characters of a number outside of them */
    WALK_LONG_NUMBER = 19, /* characters, at least, past 63 bits */
};

/* Bytes of the number that replaces a data array, with blanks: without them a
 * digit that follows the array would become part of the number. */
enum { WALK_REPLACED = 3 };

/* Levels of nesting: the document, its member, an entry of that. */
enum { WALK_TOP_LEVEL = 1, WALK_MEMBER_LEVEL = 2, WALK_ENTRY_LEVEL = 3 };

/* The part of one data array that was validated while the body arrived: from
 * behind the '[' at offset `start` up to offset `validated_end` it has no
 * bracket and no quote. `start` 0: no such part. */
struct validated_part {
    size_t start, validated_end;
};

/* What the sender of instances is told. */
#define WALK_INSTANCES                                                         \
    "instances is of version 1 of the protocol, but flipd speaks version 2: "  \
    "POST /v2/models/{model}/infer takes inputs, each with name, datatype, "   \
    "shape and data"

/* The text of a document. */
struct document_text {
    const char *text; /* borrowed */
    size_t len;
    struct validated_part validated; /* a part that needs no second scan */
    /* The request said in Inference-Header-Content-Length where the document
     * ends; otherwise errors about bytes behind it name that header. */
    bool has_header;
    bool is_plain; /* of another route: it has no data arrays to strip */
};

/* A value of the document, in bytes. */
struct data_span {
    size_t start; /* offset of its first byte in the document */
    size_t len;
};

/* A document with a number for each data array. */
struct stripped_document {
    char *text; /* owned; NUL-terminated */
    size_t len;
    /* Numbers with a fraction or an exponent, and long ones: the first starts
     * at `numbers.start` of the stripped text; `len` 0: there is none. */
    struct data_span numbers;
    int span_count;
    struct data_span spans[WALK_MAX_SPANS]; /* the data arrays */
    /* The request's id with its quotes, which stays in the stripped document;
     * `len` 0 when there is no such string. */
    struct data_span id;
};

/* The data array that the end of the text leaves open. */
struct open_array {
    size_t start; /* offset of its '['; 0: none is open */
    /* The datatype of its input, without the quotes; `len` 0 when no datatype
     * precedes the array. */
    struct data_span datatype;
};

/* The keys that the pre-scan recognises. */
enum walk_key {
    WALK_KEY_OTHER,
    WALK_KEY_INPUTS,     /* at the top level: an array */
    WALK_KEY_DATA,       /* of an input */
    WALK_KEY_DATATYPE,   /* of an input */
    WALK_KEY_PARAMETERS, /* at the top level: an object */
    WALK_KEY_TIMEOUT,    /* of the parameters */
    WALK_KEY_ID,         /* at the top level */
};

struct walk {
    const struct document_text *document; /* borrowed */
    const char *end;                      /* of its text */
    const char *at;
    struct stripped_document *stripped; /* borrowed; gets spans and id */
    struct open_array open;
    struct data_span timeout; /* the last one, without quotes; len 0: none */
    struct status *st;        /* borrowed */
    int depth;
    bool objects[WALK_MAX_DEPTH + 1]; /* per level: object, not array */
    bool wants_key;    /* the next string of the innermost object is a key */
    enum walk_key key; /* the key before the next value */
    enum walk_key section; /* INPUTS or PARAMETERS: `at` is inside; or OTHER */
    size_t input;          /* index in the array of inputs */
    int values;
    size_t span_bytes; /* of all data arrays passed */
};

/* Passes the token at w->at, or a whole data array. w->at < w->end, and the
 * first token is '{'. Fails with INVALID, naming the byte; a string or data
 * array that the text leaves open is such a failure, and w->at then stays in
 * front of it. */
bool walk_step(struct walk *w);

/* What the key, without its quotes, is where it stands. */
enum walk_key walk_identify(const struct walk *w, const char *key, size_t len);

/* The byte behind the array at `at` in the document, or NULL when it does not
 * close before `end`. Checks brackets and quotes only. */
const char *walk_array_end(const struct document_text *text, const char *at,
                           const char *end);

/* Fails with INVALID: "malformed JSON at byte N: <reason>". */
bool walk_fail(struct walk *w, const char *reason);

/* Offset of w->at in the document. */
static inline size_t walk_offset(const struct walk *w)
{
    return (size_t)(w->at - w->document->text);
}

static inline void walk_skip_space(struct walk *w)
{
    while (w->at < w->end && scan_is_space(*w->at))
        w->at++;
}
