/* Lines of Prometheus' text format, version 0.0.4, or of OpenMetrics 1.0. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "server/metrics/exemplar.h"
#include "server/metrics/histogram.h"

struct prometheus {
    FILE *out;        /* borrowed */
    bool openmetrics; /* false: version 0.0.4 */
};

/* HELP and TYPE of a metric. OpenMetrics has counters whose names end with
 * "_total" only, and names them without it here; a counter that is named
 * otherwise becomes a metric of unknown type there, with the same name. */
void prometheus_head(const struct prometheus *text, const char *name,
                     const char *type, const char *help);

/* A metric with one value. A negative one could not be read: it is left out. */
void prometheus_value(const struct prometheus *text, const char *name,
                      const char *type, const char *help, double value);

/* All lines of one histogram. `labels` has no braces. `exemplars`, one for each
 * bucket or NULL, are for OpenMetrics. */
void prometheus_histogram(const struct prometheus *text, const char *name,
                          const char *labels, const struct histogram *histogram,
                          const struct exemplar *exemplars);

/* The end of the text. */
void prometheus_end(const struct prometheus *text);
