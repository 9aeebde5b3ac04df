/* The tensors that an infer document lists. */
#pragma once

#include <jansson.h>

#include "api/document/document.h"

/* The lists of inputs and of outputs, into `doc`. Fail with INVALID, naming
 * entry and field. */
bool tensors_read_inputs(const json_t *root, struct document *doc,
                         struct status *st);
bool tensors_read_outputs(const json_t *root, struct document *doc,
                          struct status *st);
