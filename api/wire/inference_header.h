/* The header Inference-Header-Content-Length: the length of the JSON document
 * that starts a body with binary tensors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/status.h"

/* Reads the header's text; NULL, when it is absent, means the whole body. Fails
 * with INVALID for anything but a number from 1 to `body_len`. */
bool inference_header_read(const char *header, size_t body_len, size_t *len,
                           struct status *st);
