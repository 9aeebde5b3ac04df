/* What the start writes into the log. */
#pragma once

#include "server/config/options.h"
#include "server/limits/memory_plan.h"
#include "server/log/log.h"
#include "server/net/acceptor.h"

/* A log on standard error with the level and the format of the options. */
void report_open(struct log *log, const struct options *options);

/* Warns about each variable FLIPD_* of the environment that no option has, and
 * notes those of a Kubernetes service that have an option's name. */
void report_strays(struct log *log);

void report_memory(struct log *log, const struct memory_plan *plan);

/* The address of an open port, and for people the URL that they can open. */
void report_port(const struct acceptor *acceptor, const char *what);

/* The last line of a start that failed. */
void report_failure(struct log *log, const struct status *st);
