/* Sets of models. A set never changes once it is served: a new one replaces it,
 * and requests that still use the old one hold a reference. */
#pragma once

#include <stdatomic.h>

#include "api/models/model.h"

struct model_set {
    atomic_size_t references; /* not counted for the built-in set */
    size_t count;
    struct model models[MODEL_SLOTS];
    char *slots[MODEL_SLOTS]; /* owned; names, NULL from the first free one */
    void *tree;               /* owned; jansson's: the models' texts */
};

/* The operators alone. Never freed; references are not counted. Any thread. */
struct model_set *model_set_builtin(void);

/* The operators, as a set that models can be added to. Names of `previous`,
 * which may be NULL, keep their slots. The caller gets the one reference; NULL
 * with NO_MEMORY or TOO_LARGE. */
struct model_set *model_set_new(const struct model_set *previous,
                                struct status *st);

/* The next model, zeroed; NULL when there are MODEL_SLOTS already. */
struct model *model_set_add(struct model_set *set);

/* Gives the model the slot of its name. Fails with NO_MEMORY, or with TOO_LARGE
 * when all slots are taken. */
bool model_set_assign_slot(struct model_set *set, struct model *model,
                           struct status *st);

/* Any thread; returns `set`. */
struct model_set *model_set_ref(struct model_set *set);

/* The last reference frees the set. NULL is allowed. */
void model_set_unref(struct model_set *set);

/* In the order of the operators, then of the file. */
size_t model_set_count(const struct model_set *set);
const struct model *model_set_at(const struct model_set *set, size_t index);

/* By the exact name of `len` bytes; NULL when there is none. */
const struct model *model_set_find(const struct model_set *set,
                                   const char *name, size_t len);
