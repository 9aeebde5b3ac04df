/* The text of GET /metrics, in Prometheus' text format, version 0.0.4. */
#pragma once

#include <stdio.h>

#include "api/api.h"
#include "server/config/options.h"
#include "server/metrics/metrics.h"

/* Lengths of the lists below. */
enum {
    METRICS_LANES = 3, /* of requests and workers: short, medium, long */
    METRICS_USES = 4,
    METRICS_TERMS = 7,
    METRICS_RELOADS = 2,
};

/* Values that are read when the text is made, instead of counted. */
struct metrics_gauges {
    size_t connections, inflight_bytes;
    size_t queue_depth[METRICS_LANES];
    size_t workers[METRICS_LANES]; /* threads */
    size_t workers_busy[METRICS_LANES];
    size_t budget[METRICS_USES];  /* leased, sockets, kept, limit; bytes */
    size_t memory[METRICS_TERMS]; /* the plan: base, connections, waiting,
                                   * inflight, json, total, limit */
    size_t log_dropped, log_held_back;
    int64_t started;               /* unix time of the start, in seconds */
    const struct options *options; /* the limits; NULL: none */
    const struct reload *reloads[METRICS_RELOADS]; /* models, tls; or NULL */
    int64_t certificate_expiry; /* unix time; 0: no certificate */
};

/* Prints all metrics, with a row for each of `models`. */
void metrics_text_print(FILE *out, const struct metrics *total,
                        const struct metrics_gauges *gauges,
                        const struct model_set *models);

/* The commit that the program was built from: 40 hex digits, with "-dirty" if
 * tracked files differed from it; "unknown" outside of a git repository. Made
 * by cmake/revision.cmake. */
extern const char revision_text[];
