/* The backward context of a request and of its answer. */
#pragma once

#include "api/infer/state.h"

/* Decodes the context that the request gives, if any, into lengths and axes as
 * if they had been given instead. Fails with INVALID, also when they are given
 * as well. */
bool context_read(struct infer *infer, struct status *st);

/* Encodes lengths and axes into infer->context when the request asks for it.
 * Fails with NO_MEMORY. */
bool context_write(struct infer *infer, struct status *st);
