/* Runs the daemon, from its options to its exit code. */
#pragma once

#include "kernels/core/status.h"
#include "server/config/options.h"
#include "server/limits/memory_plan.h"
#include "server/log/log.h"
#include "server/net/acceptor.h"

/* Serves until a signal ends it; with OPTIONS_CHECK, reads what a start reads,
 * and starts nothing. Returns the exit code: 0 when all requests have finished,
 * 1 when it could not start, as its last line says, or some were aborted. */
int process_run(const struct options *options);

/* Writes on standard error why the options cannot be used: in JSON where this
 * is the log's format. */
void process_refuse(const struct options *options, const struct status *st);

/* The log lines of the start: the memory plan; the address of an open port,
 * with the URL that people can open; the last line of a start that failed. */
void process_report_memory(struct log *log, const struct memory_plan *plan);
void process_report_port(const struct acceptor *acceptor, const char *what);
void process_report_failure(struct log *log, const struct status *st);
