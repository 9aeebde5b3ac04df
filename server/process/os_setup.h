/* Settings of the process that belong to the operating system: signals, heap,
 * descriptors, threads. */
#pragma once

#include "server/config/options.h"
#include "server/limits/memory_plan.h"
#include "server/log/log.h"

/* Ignores SIGPIPE, sets the heap's thresholds, and gives threads short slices
 * of a processor. To be called before there are threads. */
void os_setup_prepare(void);

/* Shares out the memory and the descriptors that the process may use, and sets
 * --max-connections and --max-inflight-bytes where they are not set. The limit
 * of open files is raised to its hard limit; connections are no more than
 * descriptors are left beside those of the process's own files, of the admin
 * port and of sockets that wait: where that bounds them, a warning is logged.
 * Fails with INVALID when memory, descriptors or threads do not suffice: the
 * text has the limit and what is needed. */
bool os_setup_plan(struct options *options, struct memory_plan *plan,
                   struct log *log, struct status *st);

/* A loop or a worker could not be started, as `st` says: adds how many files
 * and threads are needed, and the limits of the system. */
void os_setup_explain(const struct options *options, struct status *st);
