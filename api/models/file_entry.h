/* The entry of a models file that is being read, and errors about it, which
 * name line and field. */
#pragma once

#include <jansson.h>

#include "api/models/model_set.h"

enum { FILE_ENTRY_PATH = 64 }; /* bytes */

struct file_entry {
    const char *text;           /* of the whole file */
    json_t *object;             /* borrowed */
    struct model *model;        /* being filled in */
    char path[FILE_ENTRY_PATH]; /* "models[0]" */
};

/* Puts line and path before the status's message; returns false. `key`, which
 * may be NULL, names the faulty entry of the object at `path`. */
bool file_entry_fail_at(const struct file_entry *entry, const char *path,
                        const char *key, struct status *st);

/* The same about the entry itself. */
bool file_entry_fail(const struct file_entry *entry, const char *key,
                     struct status *st);

/* True if the text can be a name in a URL: letters, digits, '_', '.', '-'. */
bool file_entry_is_name(const char *text);
