/* The infer document as plain C: its content except the data, before any model
 * has checked it. jansson parses the stripped document; none of its types show
 * here. A document never changes once it has been read: requests that differ
 * only in their data and their id share one. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/prescan/walk.h"
#include "kernels/core/status.h"
#include "kernels/core/tensor.h"

enum {
    DOCUMENT_MAX_INPUTS = 4,
    DOCUMENT_MAX_OUTPUTS = 4,
    DOCUMENT_MAX_PARAMETERS = 32,
};

/* The form of a tensor's data. */
enum document_form {
    DOCUMENT_FORM_ASKED,  /* of a result: as outputs and parameters say */
    DOCUMENT_FORM_JSON,   /* a data array; that of an input was stripped */
    DOCUMENT_FORM_BINARY, /* bytes behind the document */
    DOCUMENT_FORM_REGION, /* bytes in shared memory */
};

/* A part of a shared memory region that the client has registered. */
struct document_region {
    const char *name; /* NULL: none */
    uint64_t offset, bytes;
};

struct document_input {
    const char *name; /* borrowed from the document, as all text here */
    enum dtype dtype;
    struct shape shape;
    uint64_t count; /* elements: the shape's product */
    enum document_form form;
    int span;              /* FORM_JSON: index of its data in the spans */
    uint64_t binary_bytes; /* FORM_BINARY and FORM_REGION: as declared */
    bool is_derived; /* FORM_BINARY: nothing was declared: as datatype and shape
                      * say, for BYTES 0 */
    struct document_region region; /* FORM_REGION */
    bool is_numpy; /* parameters.content_type is "np": MLServer's codec, which
                    * writes 1-D arrays of N entries with the shape [N, 1] */
};

struct document_output {
    const char *name;
    bool has_form; /* parameters.binary_data is there; `binary` is its value */
    bool binary;
    struct document_region region;
};

enum document_kind {
    DOCUMENT_INT,
    DOCUMENT_REAL,
    DOCUMENT_BOOL,
    DOCUMENT_TEXT,
    DOCUMENT_TEXT_LIST, /* an array of exactly one string */
    DOCUMENT_OTHER,
};

struct document_parameter {
    const char *key;
    enum document_kind kind;
    int64_t integer;
    double real;      /* INT and REAL; infinite past its range */
    bool is_unsigned; /* REAL: past 63 bits, and `integer` has all 64 */
    bool flag;
    /* TEXT and TEXT_LIST; of a number in JSON that is not plain, as it was
     * sent; else NULL. */
    const char *text;
    bool is_typed; /* in a URL, by a person: not a client's own */
};

enum { DOCUMENT_VALUE_SIZE = 64 };

/* Writes the value as errors quote it to `text` of DOCUMENT_VALUE_SIZE bytes;
 * returns `text`. */
const char *document_parameter_print(const struct document_parameter *p,
                                     char *text);

/* What a parameter must be that is no integer, or is one that does not fit: in
 * range, or without a fraction. */
const char *document_integer_wanted(const struct document_parameter *p);

struct document {
    atomic_uint references;
    void *tree;        /* owned; jansson's */
    size_t tree_bytes; /* of heap: the tree's, or of text behind the struct */
    int parameter_count;
    struct document_parameter parameters[DOCUMENT_MAX_PARAMETERS];
    int input_count;
    struct document_input inputs[DOCUMENT_MAX_INPUTS];
    int output_count;
    struct document_output outputs[DOCUMENT_MAX_OUTPUTS];
};

/* The parts that one request does not share with others. */
struct document_instance {
    const char *text; /* borrowed: the text that the spans lie in */
    struct data_span spans[DOCUMENT_MAX_INPUTS]; /* its data arrays */
    const char *id; /* borrowed from text or document; NULL: absent or empty */
    size_t id_len;
};

/* An empty document with one reference, and `extra` bytes behind it; NULL with
 * NO_MEMORY. */
struct document *document_new(size_t extra, struct status *st);

/* Adds a reference; returns the document. Any thread, as document_unref(). */
struct document *document_ref(struct document *doc);

/* Removes a reference; the last one frees the document. NULL is allowed. */
void document_unref(struct document *doc);
