/* Typed access to the fields of jansson's objects, with errors that name the
 * field; for the files of api/ that know jansson. `where` is the object's name
 * in errors, "inputs[0]", or "" for the whole document. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

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

/* The value of a field as a boolean, and as an integer of 0 or more. */
bool field_bool(const json_t *value, const char *where, const char *key,
                bool *flag, struct status *st);
bool field_size(const json_t *value, const char *where, const char *key,
                uint64_t *size, struct status *st);

/* The type of a value as errors name it: "a string", "missing". */
const char *field_type(const json_t *value);

/* Fails with INVALID: "WHERE.KEY is a string, but it must be WANT". */
bool field_fail(const char *where, const char *key, const json_t *value,
                const char *want, struct status *st);

/* A parameter with its kind. `key` and texts are borrowed. */
void field_parameter(const char *key, const json_t *value,
                     struct document_parameter *p);
