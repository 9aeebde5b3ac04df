/* Lines of Prometheus' text format, version 0.0.4. */
#pragma once

#include <stdio.h>

#include "server/metrics/histogram.h"

/* HELP and TYPE of a metric. */
void prometheus_head(FILE *out, const char *name, const char *type,
                     const char *help);

/* A metric with one value. A negative one could not be read: it is left out. */
void prometheus_value(FILE *out, const char *name, const char *type,
                      const char *help, double value);

/* All lines of one histogram. `labels` has no braces. */
void prometheus_histogram(FILE *out, const char *name, const char *labels,
                          const struct histogram *histogram);
