/* Runs the daemon, from its options to its exit code. */
#pragma once

#include "kernels/core/status.h"
#include "server/config/options.h"

/* Serves until a signal ends it; with OPTIONS_CHECK, reads what a start reads,
 * and starts nothing. Once in a process. Returns the exit code: 0 when all
 * requests have finished, 1 when it could not start, as its last line says, or
 * some were aborted. */
int process_run(const struct options *options);

/* Writes on standard error why the options cannot be used: in JSON where this
 * is the log's format. */
void process_refuse(const struct options *options, const struct status *st);
