/* A model: an operator under a name, with the properties that a graph would
 * fix. Each operator is a model under its own name; a models file adds others.
 *
 * A set of models never changes once it is served: a new one replaces it, and
 * requests that still use the old one hold a reference. server_state.h declares
 * the functions that other layers call too. */
#pragma once

#include <stdatomic.h>

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
    char *slots[API_MODEL_SLOTS]; /* owned; names, then NULL */
    struct tree tree;             /* owned: the models' texts */
};

/* The operator itself as a model, with slot 0. */
void model_init(struct model *model, const struct op *op);

/* Checks data against the datatype and the shape that the model fixes. INVALID
 * names both sides. */
bool model_accepts(const struct model *model, const struct tensor *data,
                   struct status *st);

/* Refuses a model that no request could use: tries calls of the operator that
 * match the model's fixed properties. Fails as the operator does; *key is then
 * the faulty field of a models file, or NULL. */
bool model_check(const struct model *model, const char **key,
                 struct status *st);

/* The operators, as a set that models can be added to. Names of `previous`,
 * which may be NULL, keep their slots. The caller gets the one reference; NULL
 * with NO_MEMORY or TOO_LARGE. */
struct model_set *model_set_new(const struct model_set *previous,
                                struct status *st);

/* The next model, zeroed; NULL when there are API_MODEL_SLOTS already. */
struct model *model_set_add(struct model_set *set);

/* Gives the model the slot of its name. Fails with NO_MEMORY, or with TOO_LARGE
 * when all slots are in use. */
bool model_set_assign_slot(struct model_set *set, struct model *model,
                           struct status *st);

/* By the exact name of `len` bytes; NULL when there is none. */
const struct model *model_set_find(const struct model_set *set,
                                   const char *name, size_t len);
