/* A model: an operator under a name, with the properties that a graph would
 * fix. A set of models never changes once it is served: a new one replaces it,
 * and requests that still use the old one hold a reference. server_state.h
 * declares the functions that other layers call too. */
#pragma once

#include <stdatomic.h>

#include "api/document/document.h"
#include "api/document/tree.h"
#include "api/server_state.h"
#include "kernels/core/tensor.h"
#include "kernels/ops/op.h"

/* All text is borrowed from the model's set. */
struct model {
    const char *name;
    const char *version; /* decimal */
    const struct op *op;
    const char *output; /* name of the output in replies */

    bool typed; /* data must have `datatype` */
    enum dtype datatype;
    bool shaped; /* data must have `shape`, where -1 is any dim */
    struct shape shape;

    /* As op->attributes: a request may not set those that are `given`. */
    struct attribute_value fixed[OP_MAX_ATTRIBUTES];

    unsigned slot; /* < API_MODEL_SLOTS; for counts */
};

struct model_set {
    atomic_size_t references; /* not counted for the built-in set */
    size_t count;
    struct model models[API_MODEL_SLOTS];
    char *slots[API_MODEL_SLOTS]; /* owned; names but the operators', or NULL */
    struct tree tree;             /* owned: the models' texts */
};

/* Checks data against the datatype and the shape that the model fixes. */
bool model_accepts(const struct model *model, const struct tensor *data,
                   struct status *st);

/* Refuses a model that no request could use. Fails as its operator does. */
bool model_check(const struct model *model, struct status *st);

/* By the exact name of `len` bytes; NULL when there is none. */
const struct model *model_set_find(const struct model_set *set,
                                   const char *name, size_t len);

/* A request's `parameters`. */
struct request_parameters {
    struct attribute_value values[OP_MAX_ATTRIBUTES]; /* as op->attributes */
    /* 1 + the index in them of the last one with each role; 0: none has it */
    unsigned char with_role[ATTRIBUTE_ROLES];
    bool binary_output;  /* unless the output itself says its form */
    uint64_t timeout_us; /* from the request's arrival; 0 = none */
};

/* Reads all parameters of a document, and ignores keys of the client's own.
 * INVALID names the key that is of the wrong type, fixed by the model, given
 * twice, or meant to change the answer but unknown. Text values are borrowed
 * from the document. */
bool request_parameters_read(const struct model *model,
                             const struct document *doc,
                             struct request_parameters *settings,
                             struct status *st);

/* Reads one attribute of the operator into its element of `values`. Fails as
 * request_parameters_read(). */
bool request_parameters_read_attribute(const struct op *op,
                                       const struct tree_value *p,
                                       struct attribute_value *values,
                                       struct status *st);

/* parameters.timeout of an infer document, when it is an integer of 0 or more
 * or a string of one; else 0, as for a malformed document. */
uint64_t request_parameters_timeout(const char *text, size_t len);

/* The value with this role, or NULL when the operator has none. */
static inline const struct attribute_value *
request_parameters_role(const struct request_parameters *settings,
                        enum attribute_role role)
{
    int at = settings->with_role[role];

    return at > 0 ? &settings->values[at - 1] : NULL;
}
