/* Typed access to the fields of a document's objects, with errors that name the
 * field; private to api/document*.c and
 * api/model*.c, the files that know jansson. `where` is
 * the object's name in errors, "inputs[0]" or "" for the whole document. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "api/api.h"
#include "api/document/document.h"

/* The field's value, or NULL when it is absent or null. */
json_t *field_get(const json_t *object, const char *key);

/* A required string. */
bool field_text(const json_t *object, const char *where, const char *key,
                const char **text, struct status *st);

/* A required array of dims. */
bool field_shape(const json_t *object, const char *where, struct shape *shape,
                 struct status *st);

/* An optional object (NULL when absent). */
bool field_object(const json_t *object, const char *where, const char *key,
                  json_t **value, struct status *st);

/* An optional array (NULL when absent) of at most `most` objects. */
bool field_objects(const json_t *object, const char *key, int most,
                   json_t **value, struct status *st);

/* "a string", "an array": what a value is, for errors. */
const char *field_type(const json_t *value);

/* Parses any document, without duplicate keys. NULL with error->line < 0 means
 * that memory lacked, otherwise that the text is malformed. */
json_t *document_load(const char *text, size_t len, json_error_t *error);

/* The whole body of a request as a small document; the caller gives it back.
 * NULL with INVALID, naming the byte, TOO_LARGE, or NO_MEMORY. */
json_t *document_body(const struct api_request *request, struct status *st);

/* What a value under parameters is, for settings.h. `key` is borrowed. */
void document_parameter_read(const char *key, const json_t *value,
                             struct document_parameter *p);

/* Parses the skeleton into doc->tree. Fails with INVALID, naming the byte in
 * the whole document, or NO_MEMORY. */
bool document_tree(const struct json_skim *skim, struct document *doc,
                   struct status *st);

/* The request's parameters, in the document's order. */
bool document_parameters(const json_t *root, struct document *doc,
                         struct status *st);

/* What stands in the parameters of an input or output. */
struct document_place {
    const char *known; /* the caller's: the key whose value is ... */
    json_t *value;     /* ... here, borrowed; NULL when absent */
    struct document_region region;
    bool has_offset, has_bytes;
};

/* Reads them; any other key is refused by name. */
bool document_place(const json_t *object, const char *where,
                    struct document_place *place, struct status *st);

/* The value as a number of bytes. */
bool document_binary_size(const struct document_place *place, const char *where,
                          uint64_t *size, struct status *st);

/* The list of inputs and of outputs. */
bool document_inputs(const json_t *root, struct document *doc,
                     struct status *st);
bool document_outputs(const json_t *root, struct document *doc,
                      struct status *st);
