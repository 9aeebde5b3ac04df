/* Runs the daemon, from its options to its exit code. */
#pragma once

#include "kernels/core/status.h"
#include "server/config/options.h"

/* Serves until a signal ends it. Returns the exit code: 0 when all requests
 * have finished, 1 when it could not start or some were aborted. */
int process_run(const struct options *options);

/* Reads what a start reads, and starts nothing. Returns the exit code: 0, or 1
 * after the line that a failed start writes. */
int process_check(const struct options *options);

/* Writes on standard error why the options cannot be used: in JSON where this
 * is the log's format. */
void process_refuse(const struct options *options, const struct status *st);
