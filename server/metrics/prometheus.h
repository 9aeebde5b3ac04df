/* Lines of Prometheus' text format, version 0.0.4. */
#pragma once

#include <stdatomic.h>
#include <stdio.h>

/* HELP and TYPE of a metric. */
void prometheus_head(FILE *out, const char *name, const char *type,
                     const char *help);

/* All lines of one histogram (histogram.h). `labels` has no braces, `sum` is in
 * seconds. */
void prometheus_histogram(FILE *out, const char *name, const char *labels,
                          const atomic_ullong *buckets, double sum);
