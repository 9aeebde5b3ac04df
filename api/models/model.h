/* A model: an operator under a name, with the properties that a graph would
 * fix.
 *
 * Each operator is a model under its own name; a models file adds others. */
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

    unsigned slot; /* < MODEL_SLOTS; of this name in this process, for counts */
};

/* The operator itself as a model, with slot 0. */
void model_init(struct model *model, const struct op *op);

/* Checks data against the datatype and the shape that the model fixes. INVALID
 * names both sides. */
bool model_accepts(const struct model *model, const struct tensor *data,
                   struct status *st);
