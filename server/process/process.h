/* Runs the daemon, from its options to its exit code. */
#pragma once

#include "kernels/core/status.h"
#include "server/config/options.h"
#include "server/limits/memory_plan.h"
#include "server/log/log.h"

/* Serves until a signal ends it; with OPTIONS_CHECK, reads what a start reads,
 * and starts nothing. Once in a process. Returns the exit code: 0 when all
 * requests have finished, 1 when it could not start, as its last line says, or
 * some were aborted. */
int process_run(const struct options *options);

/* Writes on standard error why the options cannot be used: in JSON where this
 * is the log's format. */
void process_refuse(const struct options *options, const struct status *st);

/* Ignores SIGPIPE, sets the heap's thresholds, and gives threads short slices
 * of a processor. To be called before there are threads. */
void process_prepare(void);

/* Shares out the memory and the descriptors that the process may use, and sets
 * --max-connections and --max-inflight-bytes where they are not set. The limit
 * of open files is raised to its hard limit; connections are no more than
 * descriptors are left beside those of the process's own files, of the admin
 * port and of sockets that wait: where that bounds them, a warning is logged.
 * Fails with INVALID when memory, descriptors or threads do not suffice: the
 * text has the limit and what is needed. */
bool process_plan(struct options *options, struct memory_plan *plan,
                  struct log *log, struct status *st);

/* A loop or a worker could not be started, as `st` says: adds how many files
 * and threads are needed, and the limits of the system. */
void process_explain(const struct options *options, struct status *st);
