/* An entry of the list `models` in a models file. */
#pragma once

#include "api/models/model.h"

struct file_entry {
    const struct tree_value *object; /* borrowed */
    struct model *model;         /* to be filled in; NULL: the set is full */
    const struct model_set *set; /* with the models before it */
    size_t index;                /* in the list */

    /* The part that is being read: `path` is "models[0]" or
     * "models[0].attributes", `part` the value there or one of its members. */
    char path[64];
    const struct tree_value *part;
    const char *text; /* of that part; borrowed */
};

/* Reads all fields into the model. INVALID names the fault, TOO_LARGE a full
 * set; `path` and `part` then tell where. */
bool file_entry_read(struct file_entry *entry, struct status *st);
