/* flipd --probe: asks the configured daemon whether it is ready, so that a
 * container needs no HTTP client for its health check. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

/* True when GET /v2/health/ready is answered with 200 within 2 seconds; else
 * `st` says why not. Ignores SIGPIPE in the whole process. */
bool probe_run(const struct options *options, struct status *st);

/* The status code of an HTTP answer's first `len` bytes; 0 when it is none. */
int probe_status(const char *answer, size_t len);
