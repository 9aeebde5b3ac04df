/* An operator, and the one table of them.
 *
 * An operator checks its arguments and describes a permutation; it never
 * touches data. It has one data input, whose elements it moves, one control
 * input (lengths or axes), attributes and one output, of the data's shape and
 * datatype. The permutation must be one of permutation.h, so an involution made
 * of disjoint swaps: whole axes are reversed, or the first entries of one
 * axis up to a length for each entry of another.
 *
 * An operator within these limits is one file with a `const struct op`; the
 * build finds it, and nothing else in kernels/ changes.
 * Any other (Roll, or an operator with two control inputs) needs a larger
 * struct permutation or struct op_call, and movers that carry it out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"
#include "kernels/core/tensor.h"
#include "kernels/ops/permutation.h"

enum attribute_kind {
    ATTRIBUTE_INT,   /* numeric strings are accepted too */
    ATTRIBUTE_FLOAT, /* finite; numeric strings are accepted too */
    ATTRIBUTE_BOOL,
    ATTRIBUTE_TEXT,
};

/* The meaning of an attribute for the layer above. The operator itself reads
 * the plain ones, by their index in its table. */
enum attribute_role {
    ATTRIBUTE_PLAIN,       /* read by describe() */
    ATTRIBUTE_COEFFICIENT, /* the result is multiplied by it when `scales` */
    ATTRIBUTE_TRAINING,    /* true: the reply carries a backward context */
    ATTRIBUTE_CONTEXT,     /* a backward context replaces lens and axes */
    ATTRIBUTE_ECHO,        /* returned in the reply's parameters */
    ATTRIBUTE_OUTPUT_NAME, /* replaces the output's name */
    ATTRIBUTE_ROLES,
};

struct attribute {
    const char *name;
    const char *alias; /* another accepted spelling, or NULL */
    enum attribute_kind kind;
    enum attribute_role role;
    double fallback; /* if absent: a number, or 0 / 1 for BOOL */
};

/* The value of an attribute. If it is absent from the request, the value is the
 * attribute's fallback. */
struct attribute_value {
    bool given;
    int64_t integer;
    double number;
    bool flag;
    /* Borrowed from the request; NULL when absent. Of an INT, as it was sent,
     * or NULL for the digits of `integer`. */
    const char *text;
};

enum { OP_MAX_ATTRIBUTES = 8 };

struct op_call {
    struct tensor data;    /* shape and datatype; its data is not read */
    bool column_major;     /* its first axis is contiguous, not its last */
    struct tensor control; /* lengths or axes, in binary form */
    /* borrowed; in the order of the operator's attribute table */
    const struct attribute_value *attributes;
};

struct op {
    const char *name;    /* the model's name: "onnx.ReverseSequence" */
    const char *version; /* decimal */
    const char *summary; /* one line for people */
    const char *data;    /* name of the data input */
    const char *control; /* name of the control input, which may be INT64 */
    const char *takes;   /* datatypes and shape of it, for people */
    const char *output;
    bool scales; /* multiplied by the coefficient: dtype_is_scalable() only */
    const struct attribute *attributes; /* ends with a NULL name */
    unsigned rules; /* for a describe() that several operators share */

    /* Checks everything in the documented order and marks the axes of `p`, on
     * which permutation_init() was called, permutation_collapse() will be.
     * INVALID names argument, index, value and limit. */
    bool (*describe)(const struct op *op, const struct op_call *call,
                     struct permutation *p, struct status *st);
};

/* All of them, ended by NULL; in the order of GET /v2/models. cmake/op_table.py
 * writes it. */
extern const struct op *const op_table[];

/* Finds an operator by its exact name of `len` bytes, or NULL. */
const struct op *op_table_find(const char *name, size_t len);

/* Checks the call and describes its permutation into `p`, which the caller
 * frees with permutation_free(), also after a failure. */
bool op_describe(const struct op *op, const struct op_call *call,
                 struct permutation *p, struct status *st);

/* Index in op->attributes of the attribute with this name or alias, or -1. */
int op_attribute_find(const struct op *op, const char *name);
