/* The inside of a set of models; private to api/model*.c. */
#pragma once

#include <stdatomic.h>

#include "api/models/model.h"

struct model_set {
    atomic_size_t holders; /* not counted for the built-in set */
    size_t count;
    struct model models[MODEL_SLOTS];
    char *slots[MODEL_SLOTS]; /* owned; names, NULL from the first free one */
    void *tree;               /* owned; jansson's: the models' texts */
};

/* A model that is an operator as it is. */
void model_init(struct model *model, const struct op *op);

/* The next model, zeroed; NULL when there are too many. */
struct model *model_set_add(struct model_set *set);

/* Gives the model the slot of its name. Fails with NO_MEMORY, or with TOO_LARGE
 * when all slots are taken. */
bool model_set_number(struct model_set *set, struct model *model,
                      struct status *st);

/* Reads the file's models into the set: models_file.c. */
bool models_file_read(const char *text, size_t len, struct model_set *set,
                      struct status *st);
