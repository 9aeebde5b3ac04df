/* The values of fields of JSON objects, with errors that name the field. A
 * value is tree_get()'s: NULL for a field that is absent or null. `where` is
 * the object's name in errors, "inputs[0]", or "" for the whole text. */
#pragma once

#include <stdbool.h>

#include "api/document/tree.h"
#include "kernels/core/tensor.h"

/* A string without a NUL. */
bool field_text(const struct tree_value *value, const char *where,
                const char *key, const char **text, struct status *st);

/* An array of dims. */
bool field_shape(const struct tree_value *value, const char *where,
                 struct shape *shape, struct status *st);

/* An object, or none; and an array of at most `most` objects, or none. */
bool field_object(const struct tree_value *value, const char *where,
                  const char *key, struct status *st);
bool field_objects(const struct tree_value *value, const char *key, int most,
                   struct status *st);

/* A boolean, and an integer of 0 or more. */
bool field_bool(const struct tree_value *value, const char *where,
                const char *key, bool *flag, struct status *st);
bool field_size(const struct tree_value *value, const char *where,
                const char *key, uint64_t *size, struct status *st);

static inline bool field_is_string(const struct tree_value *value)
{
    return value && value->kind == TREE_STRING;
}

/* The text of a string without a NUL; NULL for all else. */
const char *field_plain(const struct tree_value *value);

struct op;

/* The parameter `key` from where all values are texts, as in a query: true and
 * false are booleans where the operator wants one. Borrowed. */
struct tree_value field_of_text(const struct op *op, const char *key,
                                const char *text);

/* True for an integer, which may be written as 2.0 or 2e0. */
bool field_integer(const struct tree_value *value, int64_t *integer);

/* True for a number, which is infinite past the range of double. */
bool field_real(const struct tree_value *value, double *real);

/* Reads the datatype of `where`. Fails with INVALID for any but the exact names
 * of the protocol; the error has the one that was most likely meant: "float32",
 * "torch.FloatTensor" or "fp32" is FP32. */
bool datatype_read(const char *name, size_t len, const char *where,
                   enum dtype *dtype, struct status *st);

enum { FIELD_TYPE_SIZE = 64 };

/* The type of a value as errors name it: "a string", "missing"; or the text of
 * a number that is no plain integer, in `text` of FIELD_TYPE_SIZE bytes. */
const char *field_type(const struct tree_value *value, char *text);

/* The text of a number as it was sent, -2 or -2.0, in `text` of FIELD_TYPE_SIZE
 * bytes. */
const char *field_number(const struct tree_value *value, char *text);

/* Fails with INVALID: "WHERE.KEY is a string, but it must be WANT". */
bool field_fail(const char *where, const char *key,
                const struct tree_value *value, const char *want,
                struct status *st);
