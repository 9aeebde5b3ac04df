/* The text of GET /metrics. */
#pragma once

#include <stdint.h>

#include "api/api.h"
#include "server/config/options.h"
#include "server/metrics/metrics.h"
#include "server/metrics/prometheus.h"
#include "server/metrics/reload.h"

/* A figure in bytes, by its label. */
struct metrics_bytes {
    const char *label; /* NULL ends a list */
    uint64_t bytes;
};

/* Files that are read again while the daemon runs, by their label. */
struct metrics_reload {
    const char *label; /* NULL ends a list */
    const struct reload *reload;
};

enum { METRICS_LANES = 3 }; /* of requests and workers: short, medium, long */

/* Values that are read when the text is made, instead of counted. */
struct metrics_gauges {
    size_t connections, inflight_bytes;
    size_t queue_depth[METRICS_LANES];
    size_t workers[METRICS_LANES]; /* threads */
    size_t workers_busy[METRICS_LANES];
    uint64_t log_dropped, log_held_back;
    int64_t started; /* unix time of the start, in seconds */
    struct api_simd simd;
    const struct metrics_bytes *memory;   /* terms of the plan; NULL: none */
    const struct metrics_bytes *budget;   /* its uses; NULL: none */
    const struct options *options;        /* the limits; NULL: none */
    const struct metrics_reload *reloads; /* NULL: none */
    int64_t certificate_expiry;           /* unix time; 0: no certificate */
};

/* Prints all metrics, with a row for each of `models`. */
void metrics_text_print(FILE *out, const struct metrics *total,
                        const struct metrics_gauges *gauges,
                        const struct model_set *models);

/* Its part about models: counters under the names that Triton's dashboards use,
 * and one histogram for each stage. */
void metrics_models_print(FILE *out, const struct metrics *total,
                          const struct model_set *models);

/* Its part about the state of the service. */
void metrics_gauges_print(FILE *out, const struct metrics_gauges *gauges);

/* Its part about limits: all that options set. */
void metrics_limits_print(FILE *out, const struct options *options);

/* Its part about the process: figures from the kernel. */
void process_stats_print(FILE *out, const struct metrics_gauges *gauges);
