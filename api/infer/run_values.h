/* Moves data as values of a fixed size. */
#pragma once

#include "api/infer/run.h"

/* In the body, or converted from text or to it. Sets data and len of `run`.
 * Fails as infer_execute(). */
bool run_values(struct run *run);

/* Out of shared memory, into it, or within it. */
void run_shared(struct run *run);
