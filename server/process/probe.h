/* flipd --probe: a health check of the configured daemon, for containers
 * without an HTTP client. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

/* True if GET /v2/health/ready is answered with 200 within 2 seconds; else `st`
 * has the reason. Ignores SIGPIPE in the whole process. */
bool probe_run(const struct options *options, struct status *st);

/* The status code in the first `len` bytes of an HTTP/1 reply; 0 if they are
 * not one. */
int probe_status(const char *reply, size_t len);
