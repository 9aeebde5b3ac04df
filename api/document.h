/* The infer document as plain C: what the JSON says, before any model has
 * looked at it. jansson reads the skeleton; nothing of it shows here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/json_skim.h"
#include "kernels/status.h"
#include "kernels/tensor.h"

enum {
    DOCUMENT_MAX_INPUTS = 4,
    DOCUMENT_MAX_OUTPUTS = 4,
    DOCUMENT_MAX_PARAMETERS = 32,
};

enum document_form {
    DOCUMENT_FORM_JSON,   /* a data array, cut out by the skimmer */
    DOCUMENT_FORM_BINARY, /* bytes behind the document */
};

struct document_input {
    const char *name; /* borrowed from the document, as all text here */
    enum dtype dtype;
    struct shape shape;
    uint64_t count; /* elements: the shape's product */
    enum document_form form;
    struct json_cut cut;   /* FORM_JSON */
    uint64_t binary_bytes; /* FORM_BINARY: as declared */
};

struct document_output {
    const char *name;
    bool binary; /* parameters.binary_data */
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
    double real; /* INT and REAL */
    bool flag;
    const char *text; /* TEXT and TEXT_LIST */
};

struct document {
    void *tree;        /* owned; jansson's */
    size_t tree_bytes; /* of heap */
    struct json_skim skim;
    const char *id; /* NULL when absent or empty */
    size_t id_len;
    int parameter_count;
    struct document_parameter parameters[DOCUMENT_MAX_PARAMETERS];
    int input_count;
    struct document_input inputs[DOCUMENT_MAX_INPUTS];
    int output_count;
    struct document_output outputs[DOCUMENT_MAX_OUTPUTS];
};

/* Reads a whole document of `len` bytes, which stay where they are as long as
 * the data arrays are used. `header` tells whether the request had an
 * Inference-Header-Content-Length; an error about bytes behind the document
 * names that header when it was missing. Fails with INVALID or TOO_LARGE;
 * document_free() is due in any case. */
bool document_read(const char *text, size_t len, bool header,
                   struct document *doc, struct status *st);

/* Frees what the document owns; a zeroed one may be freed. */
void document_free(struct document *doc);
