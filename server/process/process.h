/* Runs the daemon, from its options to its exit code. */
#pragma once

#include "server/config/options.h"

/* Serves until a signal ends it. Returns the exit code: 0 when all requests
 * have finished, 1 when it could not start or some were aborted. */
int process_run(const struct options *options);
