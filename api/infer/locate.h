/* Finds the tensors of a request: as bytes behind the document, in shared
 * memory, or as text. */
#pragma once

#include "api/infer/state.h"

/* Checks the inputs' names and sizes, and finds the bytes or the text of the
 * data (infer->source) and of lengths or axes (infer->call.control), which are
 * converted to binary. Fails with INVALID, or as region_find(). */
bool locate_inputs(struct infer *infer, struct status *st);
