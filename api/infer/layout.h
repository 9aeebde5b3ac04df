/* The parts of the buffer that an answer needs. */
#pragma once

#include "api/infer/state.h"

/* Decides infer->layout. Fails where the data has no form that the answer could
 * have. */
bool layout_decide(struct infer *infer, struct status *st);
