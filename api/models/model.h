/* Models: an operator under a name, with what a graph would fix about it.
 *
 * The operators themselves are models under their own names. A models file adds
 * others. A set of models never changes: another one takes its place, and who
 * still works with the old one holds it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/status.h"
#include "kernels/core/tensor.h"
#include "kernels/ops/op.h"

enum {
    MODEL_NAME_MAX = 128, /* bytes */
    MODEL_SLOTS = 256,    /* names that one process may ever have had */
};

struct model {
    const char *name;    /* as all text here, the set's */
    const char *version; /* decimal */
    const struct op *op;
    const char *output; /* what the output is called in replies */

    bool typed; /* data must have this datatype */
    enum dtype datatype;
    bool shaped;        /* data must have this shape, */
    struct shape shape; /* where -1 stands for any */

    /* As op->attributes: what is `given` is not a request's to set. */
    struct attribute_value fixed[OP_MAX_ATTRIBUTES];

    unsigned slot; /* < MODEL_SLOTS; of this name in this process, for counts */
};

struct model_set;

/* The operators alone. Never freed; holding and dropping it does nothing. Any
 * thread. */
struct model_set *model_set_builtin(void);

/* The operators and what a models file of `len` bytes adds. Models that
 * `previous` has too, under the same name, keep their slot. Fails with INVALID,
 * naming line and field, or NO_MEMORY. The caller holds the result. */
struct model_set *model_set_read(const char *text, size_t len,
                                 const struct model_set *previous,
                                 struct status *st);

/* Any thread; returns `set`. */
struct model_set *model_set_ref(struct model_set *set);

/* Frees the set with its last holder. NULL is allowed. */
void model_set_unref(struct model_set *set);

/* In the order of the operators, then of the file. */
size_t model_set_count(const struct model_set *set);
const struct model *model_set_at(const struct model_set *set, size_t index);

/* By the exact name of `len` bytes; NULL when there is none. */
const struct model *model_set_find(const struct model_set *set,
                                   const char *name, size_t len);
