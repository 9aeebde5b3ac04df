/* Typed access to the fields of jansson's objects, with errors that name the
 * field; for the files of api/ that know jansson. `where` is the object's name
 * in errors, "inputs[0]", or "" for the whole document. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "kernels/core/status.h"
#include "kernels/core/tensor.h"

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

/* The type of a value as errors name it: "a string", "an array". */
const char *field_type(const json_t *value);
