/* Typed access to the fields of jansson's objects, with errors that name the
 * field; for the files of api/ that know jansson. `where` is the object's name
 * in errors, "inputs[0]", or "" for the whole document. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "api/document/document.h"

/* jansson holds some numbers as doubles only. json_load.h therefore gives those
 * with a fraction or an exponent, and those past 63 bits, as a string of this
 * byte and the number's text: no other string has a byte that is not UTF-8. */
enum { FIELD_NUMBER = (char)0xFF };

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

/* True for a string, and for an integer, which may be written as 2.0 or 2e0. */
bool field_is_string(const json_t *value);
bool field_integer(const json_t *value, int64_t *integer);

enum { FIELD_TYPE_SIZE = 64 };

/* The type of a value as errors name it: "a string", "missing"; or the text of
 * a number that is no plain integer, in `text` of FIELD_TYPE_SIZE bytes. */
const char *field_type(const json_t *value, char *text);

/* The text of an integer as it was sent, -2 or -2.0, in `text` of
 * FIELD_TYPE_SIZE bytes. */
const char *field_number(const json_t *value, char *text);

/* Fails with INVALID: "WHERE.KEY is a string, but it must be WANT". */
bool field_fail(const char *where, const char *key, const json_t *value,
                const char *want, struct status *st);

/* A parameter with its kind. `key` and texts are borrowed. */
void field_parameter(const char *key, const json_t *value,
                     struct document_parameter *p);
