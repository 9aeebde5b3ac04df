/* flipd --probe: a health check of the configured daemon, for containers
 * without an HTTP client. */
#pragma once

#include <stdbool.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

/* True if GET /v2/health/ready is answered with 200 within 5 seconds; else `st`
 * has the reason. Ignores SIGPIPE in the whole process. */
bool probe_run(const struct options *options, struct status *st);
