/* Moves data as spans of text or bytes: JSON to JSON, and BYTES. */
#pragma once

#include "api/infer/run.h"

/* Sets data and len of `run`. Fails as infer_execute(). */
bool run_spans(struct run *run);
