/* What an operator is, and the one table of them.
 *
 * An operator checks its arguments and describes a permutation; it never
 * touches data. A new one is a new file with a `const struct op`, and a line in
 * the table in op.c; nothing else changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"
#include "kernels/core/tensor.h"
#include "kernels/plan/permutation.h"

enum attribute_kind {
    ATTRIBUTE_INT,   /* numeric strings are taken too */
    ATTRIBUTE_FLOAT, /* finite; numeric strings are taken too */
    ATTRIBUTE_BOOL,
    ATTRIBUTE_TEXT,
};

/* What an attribute means to the layer above; the operator itself reads the
 * plain ones by their place in its table. */
enum attribute_role {
    ATTRIBUTE_PLAIN,       /* read by describe() */
    ATTRIBUTE_COEFFICIENT, /* the result is multiplied by it when `scales` */
    ATTRIBUTE_TRAINING,    /* true: the reply carries a backward context */
    ATTRIBUTE_CONTEXT,     /* a backward context stands for lens and axes */
    ATTRIBUTE_ECHO,        /* given back in the reply's parameters */
    ATTRIBUTE_OUTPUT_NAME, /* takes the output's name's place */
};

struct attribute {
    const char *name;
    const char *alias; /* another accepted spelling, or NULL */
    enum attribute_kind kind;
    enum attribute_role role;
    double fallback; /* value when absent: a number, or 0 / 1 for BOOL */
};

/* One value, in the order of the operator's attribute table. An absent one has
 * the attribute's fallback. */
struct attribute_value {
    bool given;
    int64_t integer;
    double number;
    bool flag;
    const char *text; /* borrowed from the request; NULL when absent */
};

enum { OP_MAX_ATTRIBUTES = 8 };

struct op_call {
    struct tensor data;    /* shape and datatype; its data is not read */
    struct tensor control; /* lengths or axes, in binary form */
    const struct attribute_value *attributes; /* borrowed; all of them */
};

struct op {
    const char *name;             /* the model's name: "onnx.ReverseSequence" */
    const char *version;          /* decimal */
    const char *summary;          /* one line for people */
    const char *data;             /* name of the input that is moved */
    const char *control;          /* name of the other input */
    const char *control_datatype; /* what metadata reports for it */
    const char *output;
    const char *takes; /* datatypes of data, for people and metadata */
    bool scales;       /* multiplies by its coefficient */
    const struct attribute *attributes; /* ends with a NULL name */

    /* Checks everything in the documented order and describes the permutation
     * into `m`, which the caller frees with permutation_free(), also after a
     * failure. INVALID names argument, index, value and limit. */
    bool (*describe)(const struct op_call *call, struct permutation *m,
                     struct status *st);
};

/* The table, ended by NULL: the order of GET /v2/models. */
extern const struct op *const op_table[];

/* Finds an operator by its exact name of `len` bytes, or NULL. */
const struct op *op_find(const char *name, size_t len);

/* Place of the attribute with this role in op->attributes, or -1. */
int op_attribute_role(const struct op *op, enum attribute_role role);
