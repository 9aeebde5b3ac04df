/* Moves data as spans of text or bytes: JSON to JSON, and BYTES. */
#pragma once

#include "api/infer/execution.h"

/* Sets data and len of `execution`. Fails as infer_execute(). */
bool execute_spans(struct execution *execution);
