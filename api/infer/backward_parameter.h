/* The parameter `backward_context` of a request and of its result. */
#pragma once

#include "api/infer/state.h"

/* Decodes the context that the request gives, if any, into lengths and axes as
 * if they had been given instead. Fails with INVALID, also when they are given
 * as well. */
bool backward_parameter_read(struct infer *infer, struct status *st);

/* Encodes lengths and axes into infer->backward_context when the request asks
 * for it. Fails with NO_MEMORY. */
bool backward_parameter_write(struct infer *infer, struct status *st);
