/* The models file: {"models": [{"name", "op", "version", "datatype", "shape",
 * "attributes", "outputs"}, ...]}. */
#pragma once

#include "api/models/model_set.h"

/* The operators and the models of a file of `len` bytes, which ends with a NUL.
 * Models that `previous` (may be NULL) has under the same name keep their slot.
 * The caller gets a reference; NULL with INVALID, naming line and field,
 * NO_MEMORY, or TOO_LARGE. */
struct model_set *models_file_read(const char *text, size_t len,
                                   const struct model_set *previous,
                                   struct status *st);
