/* The infer document as plain C: what the JSON says but for its data, before
 * any model has looked at it. jansson reads the skeleton; nothing of it shows
 * here. Once read a document is never written to: requests that differ in
 * their data and their id alone share one. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/document/prescan.h"
#include "kernels/core/status.h"
#include "kernels/core/tensor.h"

enum {
    DOCUMENT_MAX_INPUTS = 4,
    DOCUMENT_MAX_OUTPUTS = 4,
    DOCUMENT_MAX_PARAMETERS = 32,
};

enum document_form {
    DOCUMENT_FORM_JSON,   /* a data array, cut out by the skimmer */
    DOCUMENT_FORM_BINARY, /* bytes behind the document */
    DOCUMENT_FORM_REGION, /* bytes in shared memory */
};

/* A place in shared memory that the client has registered. */
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
    int cut;               /* FORM_JSON: place of its data in the cuts */
    uint64_t binary_bytes; /* FORM_BINARY and FORM_REGION: as declared */
    struct document_region region; /* FORM_REGION */
};

struct document_output {
    const char *name;
    bool binary; /* parameters.binary_data */
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
    double real; /* INT and REAL */
    bool flag;
    const char *text; /* TEXT and TEXT_LIST */
};

struct document {
    atomic_uint holders;
    void *tree;        /* owned; jansson's */
    size_t tree_bytes; /* of heap */
    int parameter_count;
    struct document_parameter parameters[DOCUMENT_MAX_PARAMETERS];
    int input_count;
    struct document_input inputs[DOCUMENT_MAX_INPUTS];
    int output_count;
    struct document_output outputs[DOCUMENT_MAX_OUTPUTS];
};

/* What is a request's own. */
struct document_own {
    struct json_known known; /* of the text; set by the caller */
    const char *text;        /* borrowed: what the cuts are of */
    struct json_cut cuts[DOCUMENT_MAX_INPUTS]; /* its data arrays in the text */
    const char *id; /* borrowed from text or document; NULL: absent or empty */
    size_t id_len;
};

/* Reads a whole document of `len` bytes. `header` tells whether the request had
 * an Inference-Header-Content-Length; an error about bytes behind the document
 * names that header when it was missing. The caller gets a hold; NULL with
 * INVALID, TOO_LARGE or NO_MEMORY. */
struct document *document_read(const char *text, size_t len, bool header,
                               struct document_own *own, struct status *st);

/* One more hold; returns the document. Any thread, as all of this. */
struct document *document_hold(struct document *doc);

/* Gives a hold back; the last one frees the document. NULL is no document. */
void document_drop(struct document *doc);
