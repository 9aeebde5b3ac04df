/* The infer document as plain C: its content except the data, before any model
 * has checked it. Each wire format makes one; document_read() that of JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/document/tree.h"
#include "kernels/core/status.h"
#include "kernels/core/tensor.h"
#include "kernels/ops/op.h"

enum {
    DOCUMENT_MAX_INPUTS = 4,
    DOCUMENT_MAX_OUTPUTS = 4,
    DOCUMENT_MAX_PARAMETERS = 32,
    DOCUMENT_ROOM = 1536, /* bytes of a tree, which most small requests fit */
};

/* The form of a tensor's data. */
enum document_form {
    DOCUMENT_FORM_ASKED,  /* of a result: as outputs and parameters say */
    DOCUMENT_FORM_JSON,   /* a data array */
    DOCUMENT_FORM_BINARY, /* bytes behind the document */
    DOCUMENT_FORM_REGION, /* bytes in shared memory */
};

/* A part of a text, in bytes. */
struct data_span {
    size_t start, len;
};

/* A part of a shared memory region that the client has registered. */
struct document_region {
    const char *name; /* NULL: none */
    uint64_t offset, bytes;
};

struct document_input {
    const char *name; /* the document's, as all text here */
    enum dtype dtype;
    uint64_t count; /* elements: the shape's product */
    enum document_form form;
    struct data_span data; /* FORM_JSON: the array, in the document's text */
    uint64_t binary_bytes; /* FORM_BINARY and FORM_REGION: as declared */
    bool is_derived; /* FORM_BINARY: nothing was declared: as datatype and shape
                      * say, for BYTES 0 */
    struct document_region region; /* FORM_REGION */
    bool is_numpy; /* parameters.content_type is "np": MLServer's codec, which
                    * writes 1-D arrays of N entries with the shape [N, 1] */
    /* FORM_BINARY: where the decoder has found or put the bytes, borrowed;
     * NULL: behind the document, in the order of the inputs. */
    unsigned char *bytes;
    bool is_constant;   /* `bytes` are the document's, and never written to */
    struct shape shape; /* last, for it is large and need not be zeroed */
};

struct document_output {
    const char *name;
    bool has_form; /* parameters.binary_data is there; `binary` is its value */
    bool binary;
    struct document_region region;
};

struct document {
    struct tree tree; /* owned: of JSON; else the memory of the texts */
    const char *text; /* borrowed: has the data arrays */
    const char *id;   /* NULL: absent or empty */
    size_t id_len;
    bool has_query; /* the parameters are a URL's, and none a client's own */
    int parameter_count, input_count, output_count;
    struct tree_value parameters[DOCUMENT_MAX_PARAMETERS]; /* without nulls */
    struct document_input inputs[DOCUMENT_MAX_INPUTS];
    struct document_output outputs[DOCUMENT_MAX_OUTPUTS];
    _Alignas(8) char room[DOCUMENT_ROOM];
};

/* Makes it empty: entries of the lists are written when they are counted. Its
 * tree is to be freed. */
void document_init(struct document *doc);

/* Reads a whole document for the model of `op` into an empty one; the text must
 * outlive it. Fails with INVALID, TOO_LARGE or NO_MEMORY. */
bool document_read(struct document *doc, const struct tree_text *text,
                   const struct op *op, struct status *st);

/* The parameters of an input or an output: most of them say where its bytes
 * are. They are the same in every wire format. */
struct location {
    bool is_input;           /* set by the caller, as the next one */
    const char *key;         /* binary_data_size of an input, or binary_data */
    struct tree_value value; /* of that key; its key NULL: absent */
    bool is_numpy;           /* an input's content_type is "np" */
    struct document_region region;
    bool has_offset, has_bytes;
};

/* Reads one parameter; `where` is the object of all, "inputs[0].parameters".
 * Keys of the client's own are ignored. Fails with INVALID for a value of the
 * wrong type, and a key that was meant to change the answer. */
bool location_read(struct location *location, const char *where,
                   const struct tree_value *p, struct status *st);

/* Checks that a region is whole, when all parameters have been read. */
bool location_check(const struct location *location, const char *where,
                    struct status *st);
