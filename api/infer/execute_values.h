/* Moves data as values of a fixed size. */
#pragma once

#include "api/infer/execution.h"

/* In the body, or converted from text or to it. Sets data and len of
 * `execution`. Fails as infer_execute(). */
bool execute_values(struct execution *execution);

/* Out of shared memory, into it, or within it. */
void execute_shared(struct execution *execution);
