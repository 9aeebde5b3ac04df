/* The parameters of an infer document, and values like them. */
#pragma once

#include <jansson.h>

#include "api/document/document.h"

/* The request's parameters, in the document's order. Fails with INVALID. */
bool parameters_read(const json_t *root, struct document *doc,
                     struct status *st);

/* One value, with its kind. `key` and texts are borrowed. */
void parameters_read_value(const char *key, const json_t *value,
                           struct document_parameter *p);
