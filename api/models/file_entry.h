/* An entry of the list `models` in a models file. */
#pragma once

#include <jansson.h>

#include "api/models/model.h"

struct file_entry {
    json_t *object;              /* borrowed */
    struct model *model;         /* to be filled in; NULL: the set is full */
    const struct model_set *set; /* with the models before it */
    size_t index;                /* in the list */

    /* The part that is being read: `key` of the object at `path`, which is
     * "models[0]" or "models[0].attributes"; NULL: all of it. */
    char path[64];
    const char *key;
    const char *text; /* of that part; borrowed */
};

/* Reads all fields into the model. INVALID names the fault, TOO_LARGE a full
 * set; `path` and `key` then tell where. */
bool file_entry_read(struct file_entry *entry, struct status *st);
