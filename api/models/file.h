/* Reading a models file; private to api/models_file*.c. Each function reads one
 * field of the entry at hand into the model, and fails with INVALID, naming
 * line and field. */
#pragma once

#include "api/document/field.h"
#include "api/models/set.h"

enum { MODELS_FILE_PATH = 64 };

struct models_file {
    const char *text;
    struct model_set *set;
    struct model *model;         /* being read */
    json_t *entry;               /* its object; borrowed */
    char path[MODELS_FILE_PATH]; /* "models[0]" */
};

bool models_file_shape(const struct models_file *file, struct status *st);
bool models_file_attributes(const struct models_file *file, struct status *st);
bool models_file_outputs(const struct models_file *file, struct status *st);

/* Fails where no request can be right. After the fields. */
bool models_file_trial(const struct models_file *file, struct status *st);

/* Whether the text can be a name in a URL: letters, digits, '_', '.', '-'. */
bool models_file_is_name(const char *text);

/* Puts line and path before the status's message; returns false. `key`, which
 * may be NULL, is the entry of the value at `path` that is at fault. */
bool models_file_fail_at(const struct models_file *file, const char *path,
                         const char *key, struct status *st);

/* The same about the entry at hand. */
bool models_file_fail(const struct models_file *file, const char *key,
                      struct status *st);
