/* The tensors that an infer document lists. */
#pragma once

#include <jansson.h>

#include "api/document/document.h"

/* The lists of inputs and of outputs, into `doc`. Fails with INVALID, naming
 * entry and field. */
bool tensors_read(const json_t *root, struct document *doc, struct status *st);
